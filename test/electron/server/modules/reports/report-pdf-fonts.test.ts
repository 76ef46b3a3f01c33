import { describe, expect, it } from 'vitest'
import { FONT_FILES, ReportFonts } from '#server/modules/reports/report-pdf-fonts.ts'
import config from '../../../../../vite.config.ts'

const fonts = () => {
  const registered: string[] = []
  const own = new ReportFonts((name) => registered.push(name))
  return { registered, runsOf: own.runsOf.bind(own) }
}

describe('fonts of a report', () => {
  it('are all put beside the built program, with their licences', () => {
    const plugin = (config.plugins ?? [])
      .flat()
      .find((one) => one && 'name' in one && one.name === 'report-fonts')
    const emitted: string[] = []
    const { generateBundle } = plugin as unknown as { generateBundle(): void }
    generateBundle.call({
      emitFile: ({ fileName }: { fileName: string }) => emitted.push(fileName),
    } as never)
    expect(emitted).toEqual(expect.arrayContaining(FONT_FILES.map((file) => `fonts/${file}`)))
    expect(emitted.filter((file) => file.includes('LICENSE'))).toHaveLength(2)
    expect(emitted).toHaveLength(FONT_FILES.length + 2)
  })

  it('divide text by the font that has its characters, also within a word', () => {
    const { runsOf } = fonts()
    expect(runsOf('Mюller', 400)).toEqual([
      { font: 'noto-sans-latin-400', text: 'M', isUnknown: false },
      { font: 'noto-sans-cyrillic-400', text: 'ю', isUnknown: false },
      { font: 'noto-sans-latin-400', text: 'ller', isUnknown: false },
    ])
    expect(runsOf('', 400)).toEqual([])
  })

  it('keep a letter and its marks in one font where one has both', () => {
    const runs = fonts().runsOf('क्षत्रिय', 700)
    expect(runs).toEqual([{ font: 'noto-sans-devanagari-700', text: 'क्षत्रिय', isUnknown: false }])
  })

  it('lose no character: what no font has is said to be unknown', () => {
    const { runsOf } = fonts()
    for (const text of ['שלום', 'x😀y', '한국', '山≤→', 'x\u0335', '\u0301'])
      expect(
        runsOf(text, 400)
          .map((run) => run.text)
          .join(''),
      ).toBe(text)
    expect(runsOf('x😀y', 400).map(({ isUnknown }) => isUnknown)).toEqual([false, true, false])
    expect(runsOf('山≤→', 400).every(({ isUnknown }) => !isUnknown)).toBe(true)
  })

  it('are registered once, and only those that are used', () => {
    const { runsOf, registered } = fonts()
    for (let times = 0; times < 3; times++) runsOf('abc', 400)
    runsOf('abc', 700)
    expect(registered).toEqual(['noto-sans-latin-400', 'noto-sans-latin-700'])
  })
})
