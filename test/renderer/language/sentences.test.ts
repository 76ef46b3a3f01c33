import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openCatalogue } from '../../../renderer/src/language/catalogue.ts'
import { ZOD } from '../../../renderer/src/language/sentences/zod.es.ts'
import { SENTENCES } from '../../../renderer/src/language/sentences.es.ts'
import { FORMS } from '../../support/sentence-forms.ts'
import { saidTexts } from '../../support/sentences.ts'
import { COMPOSED } from './composed.ts'

const { sentences, fragments, literals } = saidTexts()
/** `{#}`, `{-}` and `{=}` of the catalogue are `{}` in the sources. */
const plain = (english: string) => english.replace(/\{[#=-]\}/g, '{}')
const there = new Set(SENTENCES.map(([english]) => plain(english)))
const placesOf = (text: string, place: RegExp) => text.match(place) ?? []

describe('the catalogue of what the gateway says', () => {
  const isTold = (text: string) => there.has(text) || Object.hasOwn(FORMS, text)

  it('has every sentence a person reads', () => {
    expect(
      sentences.filter(({ text }) => !isTold(text)).map(({ file, text }) => `${file}: ${text}`),
    ).toEqual([])
  })

  it('has every fragment that sentences are made of, and what is said of a field', () => {
    expect(
      fragments.filter(({ text }) => !isTold(text)).map(({ file, text }) => `${file}: ${text}`),
    ).toEqual([])
  })

  it('has nothing that nobody says', () => {
    const met = new Set([
      ...literals,
      ...Object.values(FORMS).flat().map(plain),
      ...ZOD.map(([english]) => plain(english)),
    ])
    expect([...there].filter((english) => !met.has(english))).toEqual([])
    expect(Object.keys(FORMS).filter((text) => !literals.has(text))).toEqual([])
    expect(
      Object.values(FORMS)
        .flat()
        .filter((form) => !there.has(plain(form))),
    ).toEqual([])
  })

  it('has each sentence once', () => {
    const english = SENTENCES.map(([text]) => text)
    expect(english.filter((text, at) => english.indexOf(text) !== at)).toEqual([])
  })

  it('uses each value once, and no other', () => {
    const wrong = SENTENCES.filter(([english, other]) => {
      const given = placesOf(english, /\{[#=-]?\}/g).map((_, at) => `{${at}}`)
      return (
        JSON.stringify(placesOf(other, /\{\d+\}/g).toSorted()) !== JSON.stringify(given.toSorted())
      )
    })
    expect(wrong).toEqual([])
  })

  it('ends a sentence as the English one ends', () => {
    const ending = (text: string) => /[.?]$/.exec(text)?.[0] ?? ''
    expect(SENTENCES.filter(([english, other]) => ending(english) !== ending(other))).toEqual([])
  })
})

const inSpanish = openCatalogue(SENTENCES)

describe('a sentence of the gateway in Spanish', () => {
  it.each(COMPOSED)('%s', (english, spanish) => {
    expect(inSpanish(english)).toBe(spanish)
  })

  it('is told of what zod says of a field too', () => {
    const given: readonly (readonly [z.ZodType, unknown])[] = [
      [z.string(), undefined],
      [z.string().max(200), 'x'.repeat(201)],
      [z.string().min(3), 'x'],
      [z.number(), null],
      [z.number().max(9), 10],
      [z.number().min(3), 2],
      [z.array(z.string()).max(1), ['a', 'b']],
      [z.enum(['CT', 'MR']), 'US'],
      [z.literal('CT'), 'US'],
      [z.strictObject({}), { other: 1 }],
      [z.union([z.string(), z.number()]), true],
    ]
    const faults = (locale: () => z.core.$ZodConfig) => {
      z.config(locale())
      return given.map(([form, value]) => form.safeParse(value).error?.issues[0]?.message ?? '')
    }
    const spanish = faults(z.locales.es)
    expect(faults(z.locales.en).map(inSpanish)).toEqual(spanish)
  })

  it('names the field of a refusal', () => {
    expect(inSpanish('body.name: Invalid input: expected string, received undefined')).toBe(
      'body.name: Entrada inválida: se esperaba texto, recibido indefinido',
    )
  })

  it.each(['CT1', '', '10:42', 'Nobody said this, ever.', 'Ana and Bob', 'Maria Santos, CT'])(
    'leaves what it does not know: %s',
    (text) => {
      expect(inSpanish(text)).toBe(text)
    },
  )
})
