// Makes the archive of the gateway without a window, with its own Node. Run by
// scripts/package-service.mjs under Node 24.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { filesIn, readHead, sizeOf } from './app-folder.ts'
import {
  faultsOfContents,
  isFor,
  NEEDED,
  OPTIONAL_BINARY,
  PACKAGES,
  root,
  thisMachine,
} from './contents.ts'
import { licenseList, licensesOf } from './licenses.ts'
import { bomOf } from './sbom.ts'
import { compareSizes } from './sizes.ts'

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'release') } },
})
const LAUNCHERS = ['isthmus', 'isthmus.cmd']
const { platform, arch } = thisMachine
const isWindows = platform === 'win32'
const system = `${isWindows ? 'win' : platform}-${arch}`
/** Node comes from the locked packages, or is the one that runs this. */
const nodeFolder = join(root, 'node_modules', `node-${system}`)
const nodeFile = join(nodeFolder, 'bin', isWindows ? 'node.exe' : 'node')

const { version, license, engines } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<string, string>
const name = `isthmus-service-${version}-${system}`
const out = resolve(values.out)
const archive = join(out, `${name}.tar.gz`)
const stage = mkdtempSync(join(tmpdir(), 'isthmus-service-'))
const folder = join(stage, name)

try {
  mkdirSync(join(folder, 'bin'), { recursive: true })
  mkdirSync(out, { recursive: true })
  put(
    existsSync(nodeFile) ? nodeFile : process.execPath,
    join('bin', isWindows ? 'node.exe' : 'node'),
  )
  chmodSync(join(folder, 'bin', isWindows ? 'node.exe' : 'node'), 0o755)
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ name: 'isthmus', version, license, type: 'module', private: true, engines }, null, 2)}\n`,
  )

  // The window's own process and its bridge are Electron's.
  const isForElectron = (file: string) => /^electron\/(main\.js|preload\.cjs)$/.test(file)
  const built = filesIn(join(root, 'dist'))
  // The page of the viewer is read as it is; what else is compressed is decompressed for the few
  // clients that do not take it so (http/page.ts).
  const isTwice = (file: string) =>
    (!file.endsWith('.html') || file.startsWith('renderer/help/')) && built.includes(`${file}.br`)
  for (const file of built)
    if (
      !file.endsWith('.map') &&
      !isForElectron(file) &&
      !isTwice(file) &&
      /^(electron|renderer)\//.test(file)
    )
      put(join(root, 'dist', file), join('dist', file))
  for (const [packageName, parts] of Object.entries(PACKAGES))
    for (const part of parts(thisMachine))
      put(join(root, 'node_modules', packageName, part), join('node_modules', packageName, part))

  for (const file of filesIn(join(import.meta.dirname, 'service')))
    if (isWindows || file !== 'isthmus.cmd')
      put(
        join(import.meta.dirname, 'service', file),
        join(LAUNCHERS.includes(file) ? 'bin' : '', file),
      )
  // Two folders down, as in the sources: they look for the program from where they are.
  put(join(root, 'scripts', 'standby'), join('lib', 'standby'))
  put(join(root, 'LICENSE'), 'LICENSE')
  put(join(nodeFolder, 'LICENSE'), 'LICENSE-node.txt')
  writeFileSync(
    join(folder, 'THIRD-PARTY-LICENSES.txt'),
    licenseList(licensesOf(join(root, 'dist'))),
  )
  writeFileSync(
    join(folder, 'sbom.cdx.json'),
    JSON.stringify(bomOf({ dist: join(root, 'dist'), at: new Date().toISOString() })),
  )

  const files = filesIn(folder)
  strip(files.filter((file) => /(^bin\/node|\.node)$/.test(file)))
  const native = files.filter((file) => file.endsWith('.node'))
  const faults = [
    ...faultsOfContents(files, thisMachine, [
      ...NEEDED,
      'bin/isthmus',
      'lib/standby/copy.mjs',
      'lib/standby/follow.mjs',
      'isthmus.service',
      'THIRD-PARTY-LICENSES.txt',
      'sbom.cdx.json',
    ]),
    ...native
      .filter((file) => !isFor(readHead(join(folder, file)), thisMachine))
      .map((file) => `${file} is for another operating system.`),
  ]
  const { status } = spawnSync(
    'tar',
    [
      ...(isWindows ? [] : ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']),
      '-czf',
      archive,
      '-C',
      stage,
      name,
    ],
    {
      stdio: 'inherit',
    },
  )
  if (status !== 0) throw new Error(`tar could not write ${archive}.`)

  console.log(`The service is ${archive}. Its parts:`)
  const tooLarge = compareSizes(
    'service',
    {
      window: sizeOf(join(folder, 'dist/renderer')),
      gateway: sizeOf(join(folder, 'dist/electron')),
      packages: sizeOf(join(folder, 'node_modules')),
      node: sizeOf(join(folder, 'bin')),
      unpacked: sizeOf(folder),
      archive: statSync(archive).size,
    },
    console.log,
  )
  if (!files.includes(OPTIONAL_BINARY))
    console.log(
      '\nMissing here:\n  - dicom-dimse-native, the module for other DICOM systems: npm run native gets it',
    )
  for (const fault of [...faults, ...tooLarge]) console.error(`wrong: ${fault}`)
  process.exitCode = faults.length + tooLarge.length > 0 ? 1 : 0
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/**
 * Removes the symbols of programs for a debugger, a seventh of Node. Where binutils are missing,
 * and on systems whose programs are signed, they stay.
 */
function strip(programs: readonly string[]): void {
  if (platform !== 'linux') return
  const { error } = spawnSync('strip', ['--strip-unneeded', ...programs], { cwd: folder })
  if (error) console.log('Symbols of the programs are left in: strip (binutils) is missing.')
}

/**
 * Copies a file or a folder to a place in the archive; what is not there is found missing
 * afterwards.
 */
function put(from: string, to: string): void {
  if (!existsSync(from)) return
  const target = join(folder, to)
  mkdirSync(dirname(target), { recursive: true })
  if (statSync(from).isDirectory()) cpSync(from, target, { recursive: true })
  else copyFileSync(from, target)
}
