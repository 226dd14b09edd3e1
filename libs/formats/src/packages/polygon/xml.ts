/** An element as the parser gives it: children by name, attributes by `@name`. */
export type Node = Readonly<Record<string, unknown>>;

/** The first child of that name: an element, or its text. */
export function child(node: Node | undefined, name: string): Node | undefined {
  const value = node?.[name];
  return (Array.isArray(value) ? value[0] : value) as Node | undefined;
}

/** All children of that name. */
export function children(node: Node | undefined, name: string): readonly Node[] {
  const value = typeof node === 'object' ? node[name] : undefined;
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]) as readonly Node[];
}

export const attribute = (node: Node | undefined, name: string): string => {
  const value = typeof node === 'object' ? node[`@${name}`] : undefined;
  return typeof value === 'string' ? value : '';
};

/** NaN where it is none. */
export const numberOf = (node: Node | undefined): number => Number(typeof node === 'string' ? node : Number.NaN);

/** Empty where it is none. */
export const textOfNode = (node: Node | undefined): string => (typeof node === 'string' ? node : '');
