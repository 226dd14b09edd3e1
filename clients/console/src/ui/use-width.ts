import { useElementSize } from '@mantine/hooks';
import type { RefCallback } from 'react';

/**
 * The width that a picture has, so that it is drawn for it: letters keep their size on a narrow page.
 *
 * @param most widest that the picture is drawn, in pixels
 */
export function useWidth(most: number): { readonly ref: RefCallback<HTMLDivElement>; readonly width: number } {
  const { ref, width } = useElementSize<HTMLDivElement>();
  return { ref, width: width === 0 ? most : Math.max(220, Math.min(most, Math.round(width))) };
}
