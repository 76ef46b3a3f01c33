import { describe, expect, it } from 'vitest'
import { acceptedRepresentations } from '#server/modules/dicomweb/accept.ts'
import { frameSyntaxToSend } from '#server/modules/dicomweb/frame-retrieval.ts'
import { syntaxToSend } from '#server/modules/dicomweb/instance-retrieval.ts'

const [EXPLICIT, JPEG, JPEG_LS, RLE, VIDEO, DEFLATED] = [
  '1.2.840.10008.1.2.1',
  '1.2.840.10008.1.2.4.50',
  '1.2.840.10008.1.2.4.80',
  '1.2.840.10008.1.2.5',
  '1.2.840.10008.1.2.4.102',
  '1.2.840.10008.1.2.1.99',
] as const
const accepted = (header?: string, parameter?: string) => acceptedRepresentations(header, parameter)

describe('an Accept header', () => {
  it('names representations, the best first', () => {
    expect(
      accepted(
        'multipart/related; type="application/dicom"; transfer-syntax=*;q=0.5, application/dicom',
      ),
    ).toEqual([
      { type: 'application/dicom', isMultipart: false, isSingle: true, transferSyntax: undefined },
      { type: 'application/dicom', isMultipart: true, isSingle: false, transferSyntax: '*' },
    ])
  })

  it('may have commas and semicolons within quotes, and capitals', () => {
    expect(
      accepted('Multipart/Related; TYPE="image/JLS"; x="a,b;c"; transfer-syntax="1.2"'),
    ).toEqual([{ type: 'image/jls', isMultipart: true, isSingle: false, transferSyntax: '1.2' }])
  })

  it('accepts anything where it is missing or says nothing', () => {
    const anything = { type: '*/*', isMultipart: true, isSingle: true, transferSyntax: undefined }
    for (const header of [undefined, '', 'nonsense', '*/*'])
      expect(accepted(header)).toEqual([anything])
    expect(accepted('image/png;q=0')).toEqual([anything])
  })

  it('yields to the parameter of the URL', () => {
    expect(accepted('application/json', 'image/png')[0]?.type).toBe('image/png')
  })
})

const DICOM = (parameters = '') =>
  accepted(`multipart/related; type="application/dicom"${parameters}`)

describe('the transfer syntax of a file', () => {
  it('is the stored one where that is accepted, whatever is preferred', () => {
    expect(syntaxToSend(JPEG_LS, DICOM('; transfer-syntax=*'))).toBe(JPEG_LS)
    const either = DICOM(
      `; transfer-syntax=${EXPLICIT}, multipart/related; type="application/dicom"; transfer-syntax=${RLE};q=0.1`,
    )
    expect(syntaxToSend(RLE, either)).toBe(RLE)
  })

  it('is Explicit VR Little Endian where none is named, except for what was compressed with a loss', () => {
    for (const stored of [EXPLICIT, JPEG_LS, RLE, DEFLATED])
      expect(syntaxToSend(stored, DICOM())).toBe(EXPLICIT)
    for (const stored of [JPEG, VIDEO]) expect(syntaxToSend(stored, DICOM())).toBe(stored)
  })

  it('is one that is named, if it can be converted to that', () => {
    expect(syntaxToSend(JPEG, DICOM(`; transfer-syntax=${EXPLICIT}`))).toBe(EXPLICIT)
    expect(syntaxToSend(VIDEO, DICOM(`; transfer-syntax=${EXPLICIT}`))).toBeUndefined()
    expect(syntaxToSend(EXPLICIT, DICOM(`; transfer-syntax=${JPEG}`))).toBeUndefined()
  })
})

describe('the transfer syntax of a frame', () => {
  const frames = (type: string, parameters = '') =>
    accepted(`multipart/related; type="${type}"${parameters}`)

  it('is the stored one for its media type, or for anything', () => {
    expect(frameSyntaxToSend(JPEG_LS, frames('image/jls'))?.syntax).toBe(JPEG_LS)
    expect(frameSyntaxToSend(JPEG_LS, frames('image/x-jls'))?.syntax).toBe(JPEG_LS)
    expect(frameSyntaxToSend(JPEG_LS, accepted('*/*'))?.syntax).toBe(JPEG_LS)
    expect(
      frameSyntaxToSend(JPEG_LS, frames('application/octet-stream', '; transfer-syntax=*'))?.syntax,
    ).toBe(JPEG_LS)
  })

  it('is uncompressed for octets, and another one where that is asked for', () => {
    expect(frameSyntaxToSend(JPEG_LS, frames('application/octet-stream'))?.syntax).toBe(EXPLICIT)
    expect(frameSyntaxToSend(DEFLATED, accepted('*/*'))?.syntax).toBe(EXPLICIT)
    expect(frameSyntaxToSend(EXPLICIT, frames('image/jls'))?.syntax).toBe(JPEG_LS)
    expect(frameSyntaxToSend(VIDEO, frames('application/octet-stream'))).toBeUndefined()
    expect(frameSyntaxToSend(EXPLICIT, frames('image/gif'))).toBeUndefined()
  })
})
