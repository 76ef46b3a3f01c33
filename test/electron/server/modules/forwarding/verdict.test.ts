import { describe, expect, it } from 'vitest'
import { verdictOf } from '#server/modules/forwarding/verdict.ts'

describe('the answer to a C-STORE', () => {
  it.each([
    [0x0000, 'sent', null],
    [0xb000, 'sent', 'it stored the image with a warning (status B000)'],
    [0xb007, 'sent', 'it stored the image with a warning (status B007)'],
    [0xa700, 'pausing', 'it has no space left, for example on its disk (status A700)'],
    [0xa712, 'pausing', 'it has no space left, for example on its disk (status A712)'],
    [0x0124, 'pausing', 'it does not allow this gateway to store images there (status 0124)'],
    [
      0xa900,
      'refused',
      'it reports that the image is not of the kind that it is sent as (status A900)',
    ],
    [0xc000, 'refused', 'it cannot read the image (status C000)'],
    [0xcfff, 'refused', 'it cannot read the image (status CFFF)'],
    [0x0122, 'refused', 'it does not accept images of this kind (status 0122)'],
    [0x0110, 'later', 'it could not process the image (status 0110)'],
    [0xd123, 'later', 'it did not store the image (status D123)'],
  ] as const)('%i is %s', (status, kind, reason) => {
    expect(verdictOf(status)).toEqual({ kind, reason })
  })

  it('is never taken for a success when it is none', () => {
    const taken = Array.from({ length: 0x10000 }, (_, status) => status).filter(
      (status) => verdictOf(status).kind === 'sent',
    )
    expect(taken.filter((status) => status >> 12 !== 0xb)).toEqual([0x0000, 0x0001, 0x0107, 0x0116])
  })
})
