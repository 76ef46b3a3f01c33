// npm start: a real, empty installation. Further arguments go to `serve`.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { launch, runCommand } from './launch.mjs'
import { build, installPackages, placeNative } from './setup.mjs'

const FOLDERS = {
  win32: join(process.env.APPDATA ?? homedir(), 'Isthmus'),
  darwin: join(homedir(), 'Library', 'Application Support', 'Isthmus'),
}

installPackages()
placeNative()
build()
const data =
  process.env.ISTHMUS_DATA ??
  FOLDERS[process.platform] ??
  join(process.env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'isthmus')
await launch({
  data,
  serve: process.argv.slice(2),
  ready: ({ http, dimse, dimseTls }) => {
    console.log(`
Isthmus is running.
  Window        ${http}
  First sign-in ${runCommand(['sign-in-link', '--data', data])}
                (works once, for 15 minutes; npm run -s gateway -- sign-in-link --data "${data}" makes another)
  Devices       ${dimse}${dimseTls ? `, with TLS ${dimseTls}` : ''}
  Data          ${data}
`)
  },
})
