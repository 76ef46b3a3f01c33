type Pairs<T> = { [K in keyof T]: T[K] extends readonly [string, string] ? K : never }[keyof T]

/** Label and description of a form's fields, of those texts that are pairs of them. */
export const fieldTexts =
  <T extends object>(texts: T) =>
  (field: Pairs<T>) => {
    const [label, description] = texts[field] as readonly [string, string]
    return { label, description }
  }
