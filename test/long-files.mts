/** The files whose tests start many processes. They begin first, and their tests may take long. */
export const LONG =
  /\/test\/(torture|built|docs|manual\/examples|booking\/wire-table|faults\/(network-)?process)/;
