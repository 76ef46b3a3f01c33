import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

// The language is that of the page, read when its modules are.
beforeAll(async () => {
  vi.resetModules()
  vi.stubGlobal('localStorage', { getItem: () => 'es' })
  const { loadMessages } = await import('../../../renderer/src/i18n/messages.ts')
  await loadMessages()
})
afterAll(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe('the window in Spanish', () => {
  it('writes days, instants and times as Spanish does, without the PC’s zone', async () => {
    const { dayText, daysText, clockText, agoText } = await import(
      '../../../renderer/src/format/dates.ts'
    )
    expect(dayText('20261101')).toBe('1 nov 2026')
    expect(daysText('20260101', '2026-09-30')).toBe('1 ene 2026 a 30 sept 2026')
    expect(
      clockText('2026-11-19T23:30:00.000Z', 'Europe/Madrid', new Date('2026-11-25T12:00:00.000Z')),
    ).toBe('20 nov, 00:30:00')
    expect(agoText('2026-11-20T09:00:00.000Z', new Date('2026-11-20T12:00:00.000Z'))).toBe(
      'hace 3 h',
    )
  })

  it('writes numbers with a comma', async () => {
    const { bytesText, countText, durationText } = await import(
      '../../../renderer/src/format/amounts.ts'
    )
    expect([bytesText(12_412), durationText(1300), durationText(0.4)]).toEqual([
      '12,4 kB',
      '1,3 s',
      '0,4 ms',
    ])
    expect(countText(12_400, 'examen', 'exámenes')).toBe('12.400 exámenes')
  })

  it('gives a badge its tone and its Spanish name', async () => {
    const { SOURCES } = await import('../../../renderer/src/format/answer-source.ts')
    expect(SOURCES.none).toMatchObject({ tone: 'danger', name: 'Sin respuesta' })
  })

  it('says what is wrong with a value, and takes a name for no word', async () => {
    const { translateMessage } = await import('../../../renderer/src/i18n/messages.ts')
    expect(translateMessage({ code: 'input.type', params: { expected: 'string' } })).toBe(
      'debe ser de tipo string',
    )
    const begun = { code: 'images.exam-begun', params: { deviceName: 'Stroke' } }
    expect(translateMessage(begun)).toBe('Stroke comunica que una exploración ha empezado.')
  })
})
