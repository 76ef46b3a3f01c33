// npm run demo: a gateway with a simulated partner, simulated devices and a radiologist who works
// through an invented day. Nothing is kept.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { busyPorts, DEMO_PORTS } from './busy-ports.mjs'
import { launch, runCommand, startBeside, startCommand } from './launch.mjs'
import { build, installPackages, placeNative, stop } from './setup.mjs'

const busy = await busyPorts(process.argv.slice(2))
if (busy.length > 0)
  stop(`Other programs already use these ports:
  ${busy.join('\n  ')}
Close those programs, or let the demo choose free ports:
  npm run demo -- ${busy.map((option) => option.replace(/\d+$/, '0')).join(' ')}`)

installPackages()
placeNative()
build()

const RADIOLOGIST = { email: 'radiologist@demo.example', password: 'seven quiet otters' }
const OWNER_POLL_MS = 1000

const data = mkdtempSync(join(tmpdir(), 'isthmus-demo-'))
const secretFile = join(data, 'partner.secret')
writeFileSync(secretFile, `whsec_${randomBytes(24).toString('base64')}`, { mode: 0o600 })
const passwordFile = join(data, 'radiologist.password')
writeFileSync(passwordFile, RADIOLOGIST.password, { mode: 0o600 })

const partner = await startCommand(
  ['simulator', 'partner', '--port', '0', '--secret-file', secretFile].concat('--images', '--demo'),
)
if (!partner.ready) process.exit(1)

for (const device of [
  ['--ae-title', 'CT1', '--modality', 'CT', '--name', 'CT, room 1'],
  ['--ae-title', 'MR1', '--modality', 'MR', '--name', 'MR, room 2'],
]) {
  // In UTF-8 a name in any script comes back from the device as the partner sent it.
  runCommand(['device', 'add', '--data', data, '--character-set', 'ISO_IR 192', ...device])
}

for (const setting of ['setup.isDone', 'setup.offersTour'])
  runCommand(['config', 'set', '--data', data, setting, 'true'])

const { files, study } = partner.ready
const description = ['--description', 'CT thorax (invented)']
runCommand(['api-key', 'create', '--data', data, '--description', 'Demo', '--viewer'])

await launch({
  data,
  serve: [
    '--http',
    DEMO_PORTS.http,
    '--dimse',
    DEMO_PORTS.dimse,
    '--partner-url',
    partner.ready.url,
    '--partner-secret-file',
    secretFile,
  ]
    .concat('--log-level', 'error')
    .concat(process.argv.slice(2)),
  ready: ({ http, dimse, dimseTls }) => {
    const [aeTitle, address] = dimse.split('@')
    runCommand(['file-host', 'add', '--data', data, files, '--plaintext'])
    console.log(`
Isthmus is running with a simulated partner (${partner.ready.url}).
  Window        ${http}
  First sign-in ${runCommand(['sign-in-link', '--data', data])}
                (valid once, for 15 minutes; then sign in with the account you created)
  Radiologist   ${RADIOLOGIST.email}, password “${RADIOLOGIST.password}” (available after the first sign-in)
  Images        ${runCommand(['link', 'viewer', '--data', data, '--study', study, ...description])}
                (a sample CT in the viewer; valid once)
  Devices       ${dimse}${dimseTls ? `, with TLS ${dimseTls}` : ''}
Ctrl+C stops the demo and removes its data (${data}).

The day begins when you have created the owner’s account.
`)
    void ownerExists(http).then(() => startDay(http, aeTitle, address))
  },
  end: () => rmSync(data, { recursive: true, force: true }),
})

/** Waits until the owner’s account exists, because the first account has to be the owner’s. */
async function ownerExists(http) {
  for (;;) {
    await sleep(OWNER_POLL_MS, undefined, { ref: false })
    const session = await fetch(`${http}/dashboard/session`)
      .then((response) => response.json())
      .catch(() => undefined)
    if (session?.needsOwner === false) return
  }
}

function startDay(http, aeTitle, address) {
  const { email, password } = RADIOLOGIST
  runCommand(
    [
      'user',
      'create',
      '--data',
      data,
      '--email',
      email,
      '--first-name',
      'Rosa',
      '--last-name',
    ].concat('Reader', '--level', 'member', '--role', 'Radiologist', '--password-stdin'),
    password,
  )
  startBeside(
    ['simulator', 'day', '--to', address, '--called-ae-title', aeTitle, '--window', http].concat(
      '--radiologist',
      email,
      '--password-file',
      passwordFile,
    ),
  )
}
