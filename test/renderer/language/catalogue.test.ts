import { describe, expect, it } from 'vitest'
import { openCatalogue } from '../../../renderer/src/language/catalogue.ts'

const told = openCatalogue([
  ['It is there.', 'Está.'],
  ['{} is writing to {}.', 'A {1} escribe {0}.'],
  ['{#} images', '{0} imágenes'],
  ['a report', 'un informe'],
  ['It holds {}.', 'Contiene {0}.'],
  ['the {-} list of {-}', 'la lista {0} de {1}'],
  ['{} failed: {}. Try again.', '{0} falló: {1}. Inténtelo.'],
  ['body.{=}: {}', 'body.{0}: {1}'],
  ['name', 'el nombre'],
  ['{}, {}', '{0}, {1}'],
  ['{} and {}', '{0} y {1}'],
  ['{}; {}', '{0}; {1}'],
])

describe('a catalogue of sentences', () => {
  it.each([
    ['a whole sentence', 'It is there.', 'Está.'],
    ['values in another order', 'Ana is writing to Bob.', 'A Bob escribe Ana.'],
    ['a value that is known itself', 'It holds 12 images.', 'Contiene 12 imágenes.'],
    [
      'a list of values',
      'It holds 3 images, a report and 2 images.',
      'Contiene 3 imágenes, un informe y 2 imágenes.',
    ],
    [
      'one sentence after the other',
      'It is there. Ana is writing to Bob.',
      'Está. A Bob escribe Ana.',
    ],
    [
      'two sentences that are one entry, after another',
      'It is there. CT failed: x. Try again.',
      'Está. CT falló: x. Inténtelo.',
    ],
    ['brackets with a comma in a list', 'a report, 3 (x, y)', 'un informe, 3 (x, y)'],
    ['a number where one is asked', 'all images', 'all images'],
    [
      'no semicolon in a short value',
      'the CT list of today; a report',
      'la lista CT de today; un informe',
    ],
    ['a sentence among others that are not known', 'Who knows? It is there.', 'Who knows? Está.'],
    ['a field by the name it has', 'body.name: a report', 'body.name: un informe'],
    ['what joins unknown things', 'Ana and Bob', 'Ana and Bob'],
    ['a value over several lines', 'It holds one\ntwo.', 'Contiene one\ntwo.'],
  ])('has %s', (_, english, other) => {
    expect(told(english)).toBe(other)
  })

  it('begins a sentence with a capital, whatever it is made of', () => {
    const lower = openCatalogue([['{} GB are free; {}.', 'hay {0} GB libres; {1}.']])
    expect(lower('1.2 GB are free; x.')).toBe('Hay 1.2 GB libres; x.')
    expect(lower('ct is writing.')).toBe('ct is writing.')
  })

  it('finds what is a part of others where it stands alone, with a capital', () => {
    const told = openCatalogue([['nothing listens at {}', 'nada escucha en {0}']])
    expect(told('Nothing listens at 10.0.0.7:104')).toBe('nada escucha en 10.0.0.7:104')
    expect(
      openCatalogue([['nothing listens at {}.', 'nada escucha en {0}.']])(
        'Nothing listens at PACS.',
      ),
    ).toBe('Nada escucha en PACS.')
  })
  it('leaves a text longer than any sentence as it is', () => {
    const long = `It holds ${'a report, '.repeat(600)}.`
    expect(told(long)).toBe(long)
  })
})
