type Bound<Functions, First> = {
  readonly [K in keyof Functions as Functions[K] extends (first: First, ...rest: never[]) => unknown
    ? K
    : never]: Functions[K] extends (first: First, ...rest: infer Rest) => infer Result
    ? (...rest: Rest) => Result
    : never
}

/** The functions of a module (`import * as …`) with their first argument given. */
export const bound = <Functions extends object, First>(functions: Functions, first: First) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, value]) => [
      name,
      typeof value === 'function' ? (...rest: unknown[]) => value(first, ...rest) : value,
    ]),
  ) as Bound<Functions, First>
