// The desktop app's updates in a process of their own, with the real electron-updater: `check` and
// what comes of it, with `install` what follows. It prints a line of JSON for each.
import { registerHooks } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'

const electron = new URL('./update-electron.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron'
      ? { url: electron, format: 'module-typescript', shortCircuit: true }
      : next(specifier, context),
})
const { Updates } = await import('../../electron/desktop/updates.ts')

const tell = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`)
const did = (what: string) => () => {
  tell({ did: what })
  return Promise.resolve(what)
}
Object.assign(process, { resourcesPath: process.env.UPDATE_RESOURCES })
const stop = did('stop')
const updates = new Updates(
  () => undefined,
  did('prepare'),
  async () => void (await stop()),
)
await updates.check()
while (['checking', 'available', 'downloading'].includes(updates.state().state)) await wait(20)
tell(updates.state())
if (process.argv.includes('install')) {
  await updates.install()
  // What follows is done by the next turn of the event loop.
  await wait(100)
}
updates[Symbol.dispose]()
