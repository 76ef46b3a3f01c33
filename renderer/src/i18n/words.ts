import { language, PSEUDO } from './language.ts'
import { pseudo } from './pseudo.ts'

/**
 * The same words in another language: every text and every function of a text, none left out. A
 * `tone` is no word and is taken from the English.
 */
export type Translated<T> = T extends string
  ? string
  : T extends (...given: infer G) => infer R
    ? (...given: G) => Translated<R>
    : T extends readonly unknown[]
      ? { readonly [K in keyof T]: Translated<T[K]> }
      : T extends object
        ? { readonly [K in keyof T as K extends 'tone' ? never : K]: Translated<T[K]> }
        : T

/**
 * The words of a screen in the language of the page.
 * `const en = {…} as const; export const words = inLanguage(en, es)`.
 */
export function inLanguage<const T>(en: T, es: Translated<T>): T {
  if (language === PSEUDO) return pseudo(en)
  return language === 'es' ? over(en, es) : en
}

function over<T>(en: T, other: Translated<T>): T {
  if (typeof en !== 'object' || en === null || Array.isArray(en)) return other as T
  const values = other as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(en).map(([name, value]) => [
      name,
      Object.hasOwn(values, name) ? over(value, values[name] as Translated<typeof value>) : value,
    ]),
  ) as T
}
