import { expect, it } from 'vitest'
import { connectionLost } from '#server/dicom/upper-layer/connection.ts'

const fault = (code: string | undefined, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), code && { code })

it.each([
  ['ECONNRESET', 'read ECONNRESET', 'the other side dropped the connection (ECONNRESET)'],
  [
    'ETIMEDOUT',
    'read ETIMEDOUT',
    'the other side stopped answering, or the network in between is down (ETIMEDOUT)',
  ],
  ['ENOSPC', 'write ENOSPC', 'the connection was lost (ENOSPC)'],
  [undefined, 'odd', 'the connection was lost (odd)'],
])(
  'says why a connection was lost in plain words, with the code at the end: %s',
  (code, message, sentence) => {
    expect(connectionLost(fault(code, message))).toEqual(sentence)
  },
)
