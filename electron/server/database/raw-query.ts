import { type Compilable, CompiledQuery } from 'kysely'

/**
 * A statement as text, for where building it anew at each call would take longer than running it.
 */
export function rawQuery<T>(text: string, parameters: readonly unknown[]): Compilable<T> {
  const compiled = CompiledQuery.raw(text, [...parameters]) as CompiledQuery<T>
  return { compile: () => compiled }
}
