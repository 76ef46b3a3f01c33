import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { openCertificates } from '#server/http/certificates.ts'
import { openLanListener } from '#server/http/lan-listener.ts'
import type { HttpServer } from '#server/http/server.ts'
import { StartError } from '#server/http/start-error.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempDataFolder } from '../../../support/temp-store.ts'

let temp: ReturnType<typeof tempDataFolder>
let context: Context
/** What was opened and closed, in order. */
let done: string[]
beforeEach(() => {
  temp = tempDataFolder()
  context = openContext({ folder: temp.folder })
  done = []
})
afterEach(() => {
  context[Symbol.dispose]()
  temp[Symbol.dispose]()
})

const listener = (override?: { host: string; port: number }) =>
  openLanListener(
    context,
    openCertificates(context),
    override,
    async ({ host, port }): Promise<HttpServer> => {
      if (port === 9) throw new StartError(verbatim('Another program uses port 9.'))
      done.push(`open ${port}`)
      return {
        ...{ url: `https://${host}:${port}`, address: host, port, setCertificate: () => {} },
        answer: () => undefined,
        async [Symbol.asyncDispose]() {
          done.push(`close ${port}`)
        },
      }
    },
  )
const set = (isOn: boolean, port: number) =>
  context.settings.change({ 'https.isOn': isOn, 'https.port': port }, 'command-line')

describe('the HTTPS listener', () => {
  it('stands as its settings say, whoever changes them', async () => {
    await using lan = await listener()
    expect(lan.state()).toMatchObject({ isOn: false, isUp: false, detail: null })
    await lan.set({ isOn: true, port: 8443 }, 'command-line')
    expect(lan.state()).toMatchObject({ isOn: true, isUp: true, port: 8443 })
    set(true, 8444)
    await expect.poll(() => lan.state().port).toBe(8444)
    await lan.set({ isOn: false }, 'command-line')
    expect(done).toEqual(['open 8443', 'close 8443', 'open 8444', 'close 8444'])
  })

  it('says why it is down, and stands again at a port that can be had', async () => {
    await using lan = await listener()
    await lan.set({ isOn: true, port: 9 }, 'command-line')
    expect(lan.state()).toMatchObject({
      isOn: true,
      isUp: false,
      detail: 'Another program uses port 9.',
      urls: [],
    })
    await lan.set({ isOn: true, port: 8443 }, 'command-line')
    expect(lan.state()).toMatchObject({ isUp: true, detail: null })
  })

  it('that was given for this run stays as it is, whatever is set meanwhile', async () => {
    await using lan = await listener({ host: '127.0.0.1', port: 8800 })
    await lan.set({ isOn: true, port: 8443 }, 'command-line')
    set(false, 8444)
    await lan.set({ isOn: true }, 'command-line')
    expect(done).toEqual(['open 8800'])
    expect(lan.url).toBe('https://127.0.0.1:8800')
  })
})
