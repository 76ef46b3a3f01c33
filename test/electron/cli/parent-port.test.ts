import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keyFromFile, keyFromParent, type ParentPort } from '#electron/cli/parent-port.ts'
import { readArguments } from '#electron/cli/serve.ts'
import { tempFolder } from '../../support/temp-store.ts'

function portOf(): { readonly port: ParentPort; readonly send: (data: unknown) => void } {
  const listeners: ((event: { readonly data: unknown }) => void)[] = []
  return {
    port: { on: (_, listener) => void listeners.push(listener), postMessage: () => {} },
    send(data) {
      for (const listener of listeners) listener({ data })
    },
  }
}

it('takes the key out of the first message that has one, and leaves nothing of it in the message', async () => {
  const { port, send } = portOf()
  const asked = keyFromParent(port)
  const key = new Uint8Array(32).fill(7)
  for (const other of [
    'stop',
    null,
    { dataKey: 'text', keyStore: 'platform' },
    { dataKey: null, keyStore: 'vault' },
    { keyStore: 'file' },
  ])
    send(other)
  send({ dataKey: key, keyStore: 'platform' })
  send({ dataKey: null, keyStore: 'file' })
  expect(await asked).toEqual({ dataKey: Buffer.alloc(32, 7), keyStore: 'platform' })
  expect(key).toEqual(new Uint8Array(32))
})

it('takes the word that the folder has its key itself', async () => {
  const { port, send } = portOf()
  const asked = keyFromParent(port)
  send({ dataKey: null, keyStore: 'basic' })
  expect(await asked).toEqual({ keyStore: 'basic' })
})

it('does not wait for ever', async () => {
  await expect(keyFromParent(portOf().port, 1)).rejects.toThrow(
    'The app did not hand over the data key',
  )
})

it('reads the key from a file of the service', () => {
  using temp = tempFolder()
  const file = join(temp.folder, 'isthmus-data-key')
  expect(() => keyFromFile(file)).toThrow('--data-key-file: ')
  writeFileSync(file, Buffer.alloc(33))
  expect(() => keyFromFile(file)).toThrow('has 33 bytes instead of the 32 of a data.key')
  writeFileSync(file, Buffer.alloc(32, 7))
  expect(keyFromFile(file)).toEqual({ dataKey: Buffer.alloc(32, 7) })
})

it('is told by its options who has the key', () => {
  expect(readArguments(['--data', 'd', '--data-key-file', 'f'])).toMatchObject({
    keyFrom: { file: 'f' },
  })
  expect(readArguments(['--data', 'd', '--data-key-from-parent'])).toMatchObject({
    keyFrom: 'parent',
  })
  expect(() =>
    readArguments(['--data', 'd', '--data-key-from-parent', '--data-key-file', 'f']),
  ).toThrow('not both')
})
