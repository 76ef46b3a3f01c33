// npm run demo: the application with a simulated partner that has a realistic day of exams. Nothing
// is kept.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, runCommand, startCommand } from './launch.mjs'
import { build, installPackages, placeNative } from './setup.mjs'

installPackages()
placeNative()
build()

const data = mkdtempSync(join(tmpdir(), 'isthmus-demo-'))
const secret = `whsec_${randomBytes(24).toString('base64')}`
const secretFile = join(data, 'partner.secret')
writeFileSync(secretFile, secret, { mode: 0o600 })
const partner = await startCommand([
  'simulator',
  'partner',
  '--port',
  '0',
  '--secret-file',
  secretFile,
  '--images',
])
if (!partner.ready) process.exit(1)

for (const device of [
  ['--ae-title', 'CT1', '--modality', 'CT', '--name', 'CT, room 1'],
  ['--ae-title', 'MR1', '--modality', 'MR', '--name', 'MR, room 2'],
  ['--ae-title', 'US1', '--modality', 'US', '--name', 'Ultrasound, room 3'],
]) {
  runCommand(['device', 'add', '--data', data, ...device])
}

// It is set up already.
runCommand(['config', 'set', '--data', data, 'setup.isDone', 'true'])

const { files, study } = partner.ready
const description = ['--description', 'CT thorax (invented)']
runCommand(['api-key', 'create', '--data', data, '--description', 'Demo', '--viewer'])

await launch({
  data,
  serve: [
    '--http',
    '127.0.0.1:8042',
    '--dimse',
    '127.0.0.1:11112',
    '--partner-url',
    partner.ready.url,
    '--partner-secret-file',
    secretFile,
  ]
    .concat('--allow-unknown-devices', '--log-level', 'warn')
    .concat(process.argv.slice(2)),
  ready: ({ http, dimse }) => {
    const [aeTitle, address] = dimse.split('@')
    const [host, port] = address.split(':')
    runCommand(['file-host', 'add', '--data', data, files, '--plaintext'])
    console.log(`
Isthmus is running with a simulated partner (${partner.ready.url}).
  Window        ${http}
  First sign-in ${runCommand(['sign-in-link', '--data', data])}
                (works once, for 15 minutes; then sign in with the account you made)
  Images        ${runCommand(['link', 'viewer', '--data', data, '--study', study, ...description])}
                (an invented CT from the partner, in the viewer; works once, the next link comes from
                npm run -s gateway -- link viewer --data ${data} --study ${study})
  Devices       ${dimse}
  Ask for today's list as a scanner would, with DCMTK:
    findscu -v -W -aec ${aeTitle} -aet CT1 ${host} ${port} -k PatientName -k PatientID -k "ScheduledProcedureStepSequence[0].Modality" \\
      -k "ScheduledProcedureStepSequence[0].ScheduledProcedureStepStartTime"
  Ctrl+C ends it; the data in ${data} is removed.
`)
  },
  end: () => rmSync(data, { recursive: true, force: true }),
})
