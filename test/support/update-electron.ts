// What the real electron-updater asks of Electron, on plain Node: its requests by node:https under
// a certificate of the test, and the app.
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'

const { UPDATE_CA = '', UPDATE_VERSION = '1.0.0' } = process.env
const tell = (what: string) => process.stdout.write(`${JSON.stringify({ did: what })}\n`)

export const app = Object.assign(new EventEmitter(), {
  isPackaged: true,
  getVersion: () => UPDATE_VERSION,
  getName: () => 'Isthmus',
  getPath: () => process.env.HOME ?? '',
  whenReady: () => Promise.resolve(),
  quit: () => tell('quit'),
  relaunch: () => tell('relaunch'),
  exit: () => tell('exit'),
})
export const autoUpdater = new EventEmitter()
export const session = { fromPartition: () => ({}) }
export const net = {
  request: ({ session: _, ...options }: RequestOptions & { readonly session: unknown }) =>
    request({ ...options, ca: readFileSync(UPDATE_CA), servername: 'localhost' }),
}
