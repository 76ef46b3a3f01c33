import { app } from 'electron'
import { z } from 'zod'
import type { Autostart } from './autostart.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { type Channel, channel } from './ipc.ts'
import type { KeyStore } from './key-store.ts'
import type { Updates } from './updates.ts'

const NOTHING = z.tuple([])

export interface PageAnswersDeps {
  readonly gateway: Pick<GatewayProcess, 'restart'>
  readonly autostart: Autostart
  readonly keys: Pick<KeyStore, 'state'>
  readonly updates: Updates
  readonly openDataFolder: () => void
}

/** Every message of the page (`preload.ts`) by its name, with its answer. */
export const pageAnswers = ({
  gateway,
  autostart,
  keys,
  updates,
  openDataFolder,
}: PageAnswersDeps): Readonly<Record<string, Channel>> => ({
  version: channel(NOTHING, () => app.getVersion()),
  'open-data-folder': channel(NOTHING, openDataFolder),
  'restart-gateway': channel(NOTHING, () => gateway.restart()),
  desktop: channel(NOTHING, () => ({
    isAutostart: autostart.isOn(),
    keyStore: keys.state(),
    update: updates.state(),
  })),
  'set-autostart': channel(z.tuple([z.boolean()]), (on) => autostart.set(on)),
  'check-for-update': channel(NOTHING, () => updates.check()),
  'install-update': channel(NOTHING, async () => {
    await updates.install()
    const { state, sentence } = updates.state()
    return state === 'installing' ? '' : sentence
  }),
})
