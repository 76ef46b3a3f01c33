import { describe, expect, it } from 'vitest'
import { formatTag, isPrivate, keywordOf, tagOf, vrOf } from '#server/dicom/data-set/dictionary.ts'

describe('the dictionary', () => {
  it.each([
    [0x00100010, 'PatientName', 'PN'],
    [0x00400100, 'ScheduledProcedureStepSequence', 'SQ'],
    [0x00400001, 'ScheduledStationAETitle', 'AE'],
    [0x0020000d, 'StudyInstanceUID', 'UI'],
    [0x00080201, 'TimezoneOffsetFromUTC', 'SH'],
    [0x001021c0, 'PregnancyStatus', 'US'],
    [0x7fe00010, 'PixelData', 'OW'],
  ])('knows %s as %s, %s', (tag, keyword, vr) => {
    expect(keywordOf(tag)).toBe(keyword)
    expect(tagOf(keyword)).toBe(tag)
    expect(vrOf(tag)).toBe(vr)
  })

  it('gives a retired element its keyword without a mark', () => {
    expect(keywordOf(0x00080024)).toBe('OverlayDate')
  })

  it('prefers the standard element to a private one of the same name', () => {
    expect(tagOf('PatientWeight')).toBe(0x00101030)
  })

  it('names a private tag, and any other without a keyword, by its number', () => {
    expect(keywordOf(0x00111010)).toBe('(0011,1010)')
    expect(tagOf('(0011,1010)')).toBe(0x00111010)
    expect(formatTag(0x0040a730)).toBe('(0040,A730)')
    expect(tagOf('(0040,a730)')).toBe(0x0040a730)
    expect(tagOf('NoSuchKeyword')).toBeUndefined()
    expect(isPrivate(0x00111010)).toBe(true)
    expect(isPrivate(0x00101010)).toBe(false)
  })

  it('takes group lengths for UL, private creators for LO and the unknown for UN', () => {
    expect(vrOf(0x00080000)).toBe('UL')
    expect(vrOf(0x00110010)).toBe('LO')
    expect(vrOf(0x00111010)).toBe('UN')
    expect(vrOf(0x00109999)).toBe('UN')
  })
})
