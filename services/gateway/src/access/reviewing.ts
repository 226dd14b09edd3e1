/** Said in place of what no trainer may see: hidden tests, held-out statements, what programs printed. */
export const WHY_NOT_REVIEWED =
  'Hidden tests are not shown: whoever bears this token could train on them. A token of a reviewer shows them, and so does TIDEMARK_GATEWAY_CONSOLE_REVIEW=true to operators.';
