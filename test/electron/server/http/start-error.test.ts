import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { StoreError } from '#server/database/store-error.ts'
import { listenError, StartError, userErrorText } from '#server/http/start-error.ts'
import { ApiError } from '#shared/errors.ts'
import { verbatim } from '#shared/messages/message.ts'

const HTTP = { name: 'HTTP', option: '--http HOST:PORT', host: '127.0.0.1', port: 8042 } as const
const fault = (code: string) => Object.assign(new Error(`listen ${code}`), { code })

it('names the program that has the port', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const error = await listenError(fault('EADDRINUSE'), { ...HTTP, port })
  await new Promise((resolve) => server.close(resolve))
  expect(error).toBeInstanceOf(StartError)
  expect(error.message).toMatch(
    / cannot use 127\.0\.0\.1:\d+: \S+ \(process \d+\) already uses that port\. Close that program, or choose another port/,
  )
  expect(error.message).toContain(`(process ${process.pid})`)
})

it.each([
  [
    'EACCES',
    'this account may not open that port. Choose a port above 1023 with --http HOST:PORT.',
  ],
  ['EADDRNOTAVAIL', 'this PC does not have that address. Choose one it has with --http HOST:PORT.'],
  ['ENOTFOUND', 'this PC does not have that address.'],
  ['EAI_AGAIN', 'this PC does not have that address.'],
])('says what %s means', async (code, words) => {
  expect((await listenError(fault(code), HTTP)).message).toContain(
    `The HTTP listener cannot use 127.0.0.1:8042: ${words}`,
  )
})

it('leaves a fault of ours as it is', async () => {
  const error = fault('EMFILE')
  expect(await listenError(error, HTTP)).toBe(error)
  expect(userErrorText(error)).toBeUndefined()
})

it('has a sentence for what a person can mend, with the fields that are wrong', () => {
  expect(userErrorText(new StartError(verbatim('It is in use.')))).toBe('It is in use.')
  expect(userErrorText(new StoreError('damaged', verbatim('It is damaged.')))).toBe(
    'It is damaged.',
  )
  const errors = [
    { path: '--email', message: verbatim('must be an e-mail address') },
    { path: '--level', message: verbatim('is missing') },
  ]
  expect(userErrorText(new ApiError('malformed', verbatim('Not carried out.'), { errors }))).toBe(
    'Not carried out.\n  --email: must be an e-mail address\n  --level: is missing',
  )
  expect(
    userErrorText(
      new ApiError('malformed', verbatim('The e-mail must be an e-mail address.'), {
        errors: errors.slice(0, 1),
      }),
    ),
  ).toBe('The e-mail must be an e-mail address.')
})
