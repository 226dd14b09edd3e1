/** Longest piece, in characters. */
const LONGEST = 60;

/**
 * Pieces of a text by which it would be recognised wherever it stands: runs of plain characters, which JSON, protobuf and
 * PostgreSQL's text of bytes all leave as they are. The longest ones, each once.
 *
 * @param least characters of a piece: shorter ones say nothing
 * @param most pieces
 */
export function piecesOf(text: string, least: number, most: number): string[] {
  const runs = text.match(/[A-Za-z0-9 .,;:()+*=_-]+/g) ?? [];
  const pieces = runs.map((run) => run.trim().slice(0, LONGEST)).filter((piece) => piece.length >= least);
  return [...new Set(pieces)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1)).slice(0, most);
}
