/** A function that gives what `make` makes. `make` is called when its value is first asked for, and after a failure again. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
