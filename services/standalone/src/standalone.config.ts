/** The variables of the process, from which each service reads its own settings (`TIDEMARK_<SERVICE>_…`). */
export const processVariables = (): Readonly<Record<string, string | undefined>> => process.env;
