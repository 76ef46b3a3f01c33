import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { transliterate } from '#server/modules/worklist/transliteration.ts'
import { runs } from '../../../../support/property-runs.ts'

describe('transliterate', () => {
  it.each([
    ['Müller^Änne', 'Muller^Anne'],
    ['Großmann', 'Grossmann'],
    ['GROẞ', 'GROSS'],
    ['Mærsk Ærø ÆRØ', 'Maersk Aero AERO'],
    ['Łukasz Wąsikiewicz', 'Lukasz Wasikiewicz'],
    ['Þórðardóttir', 'Thordardottir'],
    ['Đorđević Živojin', 'Dordevic Zivojin'],
    ['Nguyễn Thị Ở', 'Nguyen Thi O'],
    ['Ｓｍｉｔｈ', 'Smith'],
    ['Mu\u0308ller', 'Muller'],
    ['O’Brien–Smith', "O'Brien-Smith"],
    ['Иванов^Пётр^Ильич', 'Ivanov^Petr^Ilich'],
    ['Щукина Жанна', 'Shchukina Zhanna'],
    ['ЩУКИНА ЖАННА', 'SHCHUKINA ZHANNA'],
    ['Юрий Хрущёв', 'Iurii Khrushchev'],
    ['Ґалаґан Євген Їжак', 'Galagan Ievgen Izhak'],
    ['Љубица Џорџ', 'Ljubitsa Dzordz'],
    ['Παπαδόπουλος^Διονύσιος', 'Papadopoulos^Dionysios'],
    ['Ευαγγελία', 'Evangelia'],
    ['Παύλος Ναύτης', 'Pavlos Naftis'],
    ['ΜΠΑΚΟΥ Μπάκου Λάμπρος', 'BAKOU Bakou Lampros'],
    ['Αγχίαλος Χρήστος Ψυχή', 'Anchialos Christos Psychi'],
    ['やまだ^たろう', 'Yamada^Tarou'],
    ['ヤマダ^ハナコ', 'Yamada^Hanako'],
    ['ﾔﾏﾀﾞ^ﾀﾛｳ', 'Yamada^Tarou'],
    ['きょうこ ちゃん しゅうじ', 'Kyouko Chan Shuuji'],
    ['はっとり ほっち', 'Hattori Hotchi'],
    ['ファン', 'Fan'],
    ['홍^길동', 'Hong^Gildong'],
    ['김', 'Gim'],
    ['37°C ± 1', '37degC +/- 1'],
    ['20 µg', '20 ug'],
    ['20 μg', '20 ug'],
    ['1½ cm²', '1 1/2 cm2'],
    ['\u200fAbc', 'Abc'],
  ])('says %s as %s', (text, latin) => {
    expect(transliterate(text)).toBe(latin)
  })

  it.each([
    '山田',
    'قباني',
    'שרון',
    'สมชาย',
    'Yamada 山',
    '10² cells',
    'a\uFFFDb',
    '😀',
    '\u0301',
    'ー',
    'Ь',
  ])('has no way to say %s', (text) => {
    expect(transliterate(text)).toBeUndefined()
  })

  it('leaves ASCII as it is, delimiters included', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZ09^=\\ ~\r\n') }), (text) => {
        expect(transliterate(text)).toBe(text)
      }),
      runs(100),
    )
  })

  it('brings in no delimiter that was not there', () => {
    expect(transliterate('Ａ＾Ｂ＝Ｃ＼Ｄ')).toBe('A B C D')
    for (const sign of ['₌', '﹦', '﹨', '⩵']) expect(transliterate(`A${sign}B`)).toBeUndefined()
    const count = (text: string) => text.replace(/[^\\^=]/g, '').length
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const latin = transliterate(text)
        expect(latin === undefined || count(latin) === count(text)).toBe(true)
      }),
      runs(100),
    )
  })

  it('gives ASCII or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(transliterate(text) ?? '').toMatch(/^[\t\n\f\r\x20-\x7e]*$/)
      }),
      runs(100),
    )
  })
})
