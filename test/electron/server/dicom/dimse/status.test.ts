import { describe, expect, it } from 'vitest'
import { categoryOf, DimseError, STATUS } from '#server/dicom/dimse/status.ts'
import { verbatim } from '#shared/messages/message.ts'

describe('statuses', () => {
  it('are in the category that their code range says', () => {
    for (const [code, { category }] of Object.entries(STATUS))
      expect([code, categoryOf(Number(code))]).toEqual([code, category])
  })

  it('of a peer are categorised too', () => {
    expect([0xb000, 0x0107, 0xa701, 0xc123, 0x0117].map(categoryOf)).toEqual([
      'warning',
      'warning',
      'failure',
      'failure',
      'failure',
    ])
  })

  it('go with an error as the result to be sent', () => {
    expect(new DimseError(0xa900, verbatim('Not a date'), [0x00400002]).result).toEqual({
      status: 0xa900,
      errorComment: 'Not a date',
      offendingElements: [0x00400002],
    })
    expect(new DimseError(0x0211).result).toEqual({ status: 0x0211 })
  })
})
