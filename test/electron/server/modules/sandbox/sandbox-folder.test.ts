import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Context, openContext } from '#server/context.ts'
import { makeFolder } from '#server/database/data-directory.ts'
import { openApiKeys } from '#server/modules/api-keys/api-keys.ts'
import {
  createTestKey,
  keptSandboxSettings,
  prepareSandboxFolder,
  replaceSandbox,
  sandboxFolder,
} from '#server/modules/sandbox/sandbox-folder.ts'
import { setWebhook, webhookOf } from '#server/modules/sandbox/webhook.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

let temp: ReturnType<typeof tempFolder>
let context: Context
let key: string
beforeEach(() => {
  temp = tempFolder()
  context = openContext({ folder: temp.folder })
  key = createTestKey(context, 'Cloud RIS', 'command-line')
})
afterEach(() => {
  context[Symbol.dispose]()
  temp[Symbol.dispose]()
})

const WEBHOOK = { url: 'https://ris.example/hook', allowPlaintext: false }

/** What a test sees in the sandbox. */
function inSandbox<T>(look: (sandbox: Context) => T): T {
  using sandbox = openContext({ folder: prepareSandboxFolder(temp.folder) })
  return look(sandbox)
}
const hasKey = () => inSandbox((sandbox) => openApiKeys(sandbox).authenticate(key) !== undefined)

describe('the folder of the sandbox', () => {
  it('has keys of its own, which the live gateway does not accept', () => {
    expect(key).toMatch(/^sk_test_/)
    expect(hasKey()).toBe(true)
    expect(openApiKeys(context).authenticate(key)).toBeUndefined()
    expect(openApiKeys(context).list()).toEqual([])
    expect(context.settings.get('sandbox.isOn')).toBe(true)
    expect(inSandbox(({ isSandbox }) => isSandbox)).toBe(true)
    expect(context.isSandbox).toBe(false)
  })

  it('is replaced by one with the same keys and the same webhook with its secret', () => {
    const { kept, secret } = inSandbox((sandbox) => ({
      secret: setWebhook(sandbox, WEBHOOK, 'command-line').secret,
      kept: keptSandboxSettings(sandbox),
    }))
    const clinicId = inSandbox(({ settings }) => settings.get('clinic.id'))
    replaceSandbox(temp.folder, kept, Date.now)
    expect(hasKey()).toBe(true)
    inSandbox((sandbox) => {
      expect(webhookOf(sandbox)).toEqual({ url: WEBHOOK.url, isSimulated: false })
      expect(keptSandboxSettings(sandbox).endpoints[0]?.secrets.map((one) => one.secret)).toEqual([
        secret,
      ])
      // It is another database, not the former one.
      expect(sandbox.settings.get('clinic.id')).not.toBe(clinicId)
    })
    for (const rest of ['sandbox-next', 'sandbox-former'])
      expect(existsSync(join(temp.folder, rest))).toBe(false)
  })

  it('is whole, with its keys, wherever a crash ended the replacement', () => {
    const own = sandboxFolder(temp.folder)
    const next = join(temp.folder, 'sandbox-next')
    const former = join(temp.folder, 'sandbox-former')
    // While the next one was being filled.
    makeFolder(next)
    expect([hasKey(), existsSync(next)]).toEqual([true, false])
    // Between the two renamings.
    renameSync(own, next)
    expect([hasKey(), existsSync(own)]).toEqual([true, true])
    // Before the former one was removed.
    makeFolder(former)
    expect([hasKey(), existsSync(former)]).toEqual([true, false])
  })

  it('gives a webhook at another host a new secret, and keeps that of the same host', () => {
    inSandbox((sandbox) => {
      const set = (url: string) => setWebhook(sandbox, { ...WEBHOOK, url }, 'command-line').secret
      const first = set('https://ris.example/hook')
      const second = set('https://other.example/hook')
      expect([first, second].every((secret) => secret?.startsWith('whsec_'))).toBe(true)
      expect(second).not.toBe(first)
      expect(set('https://other.example/new')).toBeNull()
    })
  })
})
