import { describe, expect, it } from 'vitest'
import { verdictOn } from '#gateway/forwarding/verdict.ts'

describe('the answer to a C-STORE', () => {
  it.each([
    [0x0000, 'sent', ''],
    [0xb000, 'sent', 'it stored the instance with a warning (status B000)'],
    [0xb007, 'sent', 'it stored the instance with a warning (status B007)'],
    [0xa700, 'pausing', 'it is out of resources, such as disk space (status A700)'],
    [0xa712, 'pausing', 'it is out of resources, such as disk space (status A712)'],
    [0x0124, 'pausing', 'it does not permit us to store there (status 0124)'],
    [0xa900, 'refused', 'it says that the data set does not match its SOP class (status A900)'],
    [0xc000, 'refused', 'it cannot understand the instance (status C000)'],
    [0xcfff, 'refused', 'it cannot understand the instance (status CFFF)'],
    [0x0122, 'refused', 'it does not take objects of this SOP class (status 0122)'],
    [0x0110, 'later', 'it could not process the instance (status 0110)'],
    [0xd123, 'later', 'it did not store the instance (status D123)'],
  ] as const)('%i is %s', (status, kind, reason) => {
    expect(verdictOn(status)).toEqual({ kind, reason })
  })

  it('is never taken for a success when it is none', () => {
    const taken = Array.from({ length: 0x10000 }, (_, status) => status).filter((status) => verdictOn(status).kind === 'sent')
    expect(taken.filter((status) => status >> 12 !== 0xb)).toEqual([0x0000, 0x0001, 0x0107, 0x0116])
  })
})
