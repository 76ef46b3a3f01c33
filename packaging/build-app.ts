// Makes the installers, or with --dir their folder alone, and looks at what was made. Run by
// scripts/package.mjs under Node 24.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import electron from 'electron/package.json' with { type: 'json' }
import { build, type Configuration } from 'electron-builder'
import program from '../package.json' with { type: 'json' }
import { hasNativeModule, inspectApp, unpackedFolder } from './app-folder.ts'
import { root, thisMachine } from './contents.ts'
import { licenseList, licensesOf } from './licenses.ts'
import { releaseNotes } from './release-notes.ts'
import { bomOf } from './sbom.ts'
import { compareSizes } from './sizes.ts'
import { makeStandIn } from './stand-in.ts'

const { values } = parseArgs({
  options: {
    dir: { type: 'boolean', default: false },
    out: { type: 'string', default: join(root, 'release') },
    // Why Electron's binary cannot be had.
    'without-electron': { type: 'string' },
  },
})
const out = resolve(values.out)
const without = values['without-electron']
const { platform } = thisMachine

if (without !== undefined && (!values.dir || platform !== 'linux')) {
  console.error(
    `Nothing was packaged: ${without}, and ${values.dir ? 'a stand-in for it exists on Linux only' : 'installers need it. npm run package -- --dir makes the folder of the app without it'}.`,
  )
  process.exit(1)
}

const updateUrl = process.env.ISTHMUS_UPDATE_URL
const standIn = without === undefined ? undefined : mkdtempSync(join(tmpdir(), 'isthmus-electron-'))
if (standIn !== undefined) makeStandIn(standIn, electron.version)
const licensed = licensesOf(join(root, 'dist'))
writeFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), licenseList(licensed))
writeFileSync(
  join(root, 'dist', 'sbom.cdx.json'),
  JSON.stringify(bomOf({ dist: join(root, 'dist'), at: new Date().toISOString() })),
)

const config: Configuration = {
  directories: { output: out },
  ...(standIn !== undefined && { electronDist: standIn }),
  releaseInfo: {
    releaseNotes:
      releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), program.version) ?? null,
  },
  ...(updateUrl && { publish: { provider: 'generic', url: updateUrl } }),
}
try {
  await build({ dir: values.dir, projectDir: root, publish: 'never', config })
} finally {
  if (standIn !== undefined) rmSync(standIn, { recursive: true, force: true })
}

const folder = join(out, unpackedFolder(thisMachine))
const { faults, sizes } = await inspectApp(folder, thisMachine)
console.log(
  `\nThe app is in ${folder}. Licences of ${licensed.length} packages are listed. Its parts:`,
)
const tooLarge = compareSizes('app', sizes, console.log)

const missing = [
  ...(without === undefined
    ? []
    : [`Electron itself (${without}): a stand-in has its place, so this app does not start`]),
  ...(values.dir ? ['installers: --dir makes the folder they are made of'] : []),
  ...(hasNativeModule(folder, thisMachine)
    ? []
    : ['dicom-dimse-native, the module for other DICOM systems: npm run native gets it']),
  ...(updateUrl
    ? []
    : ['a place for updates (ISTHMUS_UPDATE_URL): this app is not updated by itself']),
  ...(isSigned()
    ? []
    : ['a signature: no certificate is set (docs/INSTALL.md, “Build the installers”)']),
]
if (missing.length > 0)
  console.log(`\nMissing here:\n${missing.map((what) => `  - ${what}`).join('\n')}`)
for (const fault of [...faults, ...tooLarge]) console.error(`wrong: ${fault}`)
if (faults.length + tooLarge.length > 0) process.exit(1)
console.log(
  '\nThe fuses are set, native modules lie beside the archive, and nothing else is inside.',
)

function isSigned(): boolean {
  if (platform === 'linux') return true
  const { CSC_LINK, CSC_NAME, WIN_CSC_LINK, AZURE_TENANT_ID } = process.env
  return [CSC_LINK, CSC_NAME, WIN_CSC_LINK, AZURE_TENANT_ID].some(Boolean)
}
