import { flowText, funnelText, targetLine, targetText, waitingText } from '../format/status-text.ts';
import { cut } from '../format/table.ts';
import type { Status } from '../status.ts';

/** What a live picture shows beside the status. */
export interface Caption {
  /** Where it serves: what has to be seen first. */
  readonly address: string;
  /** Where its data and its log are; left out where there is no room. */
  readonly places: readonly string[];
  /** What happens now. */
  readonly step: string;
  /** The flow has come to its end: only then is it said that all is quiet, which it is between two steps too. */
  readonly ended: boolean;
}

/**
 * The picture of a moment, at most `rows` lines of at most `columns` characters. What matters most comes first and is
 * given up last: the address, the step, the funnel, the bins of the targets, what is on its way.
 */
export function livePicture(status: Status, caption: Caption, rows: number, columns: number): string[] {
  const head = [caption.address, ...caption.places];
  const funnel = funnelText(status);
  const targets = status.targets.map(targetText);
  const short = status.targets.map((target) => targetLine(target));
  const waiting = waitingText(status);
  const flow = status.quiet && !caption.ended ? [] : flowText(status);
  const step = [caption.step];
  const blank = [''];
  // From the whole picture to the barest one; the first that fits is shown.
  const pictures = [
    [head, blank, funnel, ...targets.map((lines) => ['', ...lines]), blank, waiting, flow, blank, step],
    [[caption.address], blank, funnel, blank, short, blank, waiting, flow, step],
    [[caption.address], funnel, short, waiting, flow.slice(0, 3), step],
    [[caption.address], funnel, short, waiting.slice(0, 1), flow.slice(0, 1), step],
    [[caption.address], funnel, short, step],
    [[caption.address], funnelText(status, { reasons: false }), short, step],
  ].map((parts) => parts.flat());
  const fitting = pictures.find((lines) => lines.length <= rows);
  const barest = pictures.at(-1) ?? [];
  const shown = fitting ?? [...barest.slice(0, Math.max(0, rows - 1)), caption.step];
  return shown.map((line) => cut(line, columns));
}
