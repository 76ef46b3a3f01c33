// Puts dicom-dimse-native's binary in place: what is there already, the cache, the published
// prebuild; as a command, also by compiling its own sources. An install never waits for a compiler
// (docs/decisions/0002).
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const WAYS = { present, cache: fromCache, prebuild: fromPrebuild, compile }

/** @param {(keyof typeof WAYS)[]} ways @returns {string | undefined} the way that worked */
export function placeNativeModule(ways) {
  const at = places()
  return ways.find((way) => WAYS[way](at))
}

function places() {
  const require = createRequire(import.meta.url)
  const packageFile = require.resolve('dicom-dimse-native/package.json')
  const folder = dirname(packageFile)
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8'))
  const libc =
    process.platform !== 'linux'
      ? ''
      : process.report.getReport().header.glibcVersionRuntime
        ? '-gnu'
        : '-musl'
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'isthmus')
  return {
    require,
    folder,
    version,
    cache,
    binary: join(folder, 'build', 'Release', 'dcmtk.node'),
    cached: join(
      cache,
      `dicom-dimse-native-${version}-${process.platform}-${process.arch}${libc}.node`,
    ),
  }
}

// The module writes dicom.log where it is loaded, so it is loaded in its own folder.
const loads = ({ folder, binary }) =>
  spawnSync(process.execPath, ['-e', `require(${JSON.stringify(binary)})`], { cwd: folder })
    .status === 0

function present(at) {
  return existsSync(at.binary) && loads(at)
}

function fromCache(at) {
  if (!existsSync(at.cached)) return false
  mkdirSync(dirname(at.binary), { recursive: true })
  copyFileSync(at.cached, at.binary)
  return loads(at)
}

function keep(at) {
  mkdirSync(at.cache, { recursive: true })
  const whole = `${at.cached}.${process.pid}`
  copyFileSync(at.binary, whole)
  renameSync(whole, at.cached)
  return true
}

function run(at, args, env = {}) {
  const stdio = process.env.CI ? ['ignore', 'inherit', 'inherit'] : 'ignore'
  return (
    spawnSync(process.execPath, args, { cwd: at.folder, stdio, env: { ...process.env, ...env } })
      .status === 0
  )
}

function fromPrebuild(at) {
  return (
    run(at, [at.require.resolve('prebuild-install/bin.js'), '-r', 'napi']) && loads(at) && keep(at)
  )
}

function compile(at) {
  const build = join(at.folder, 'build')
  rmSync(build, { recursive: true, force: true })
  if (
    !run(at, ['scripts/compile-native.js'], {
      SKIP_LIB_ICONV_BOOTSTRAP: '1',
      CMAKE_BUILD_PARALLEL_LEVEL: '2',
    }) ||
    !loads(at)
  )
    return false
  // Only the binary stays: the build tree is some hundred MB.
  const aside = join(at.folder, 'dcmtk.node')
  renameSync(at.binary, aside)
  rmSync(build, { recursive: true })
  mkdirSync(dirname(at.binary), { recursive: true })
  renameSync(aside, at.binary)
  return keep(at)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = Date.now()
  const way = placeNativeModule(['present', 'cache', 'prebuild', 'compile'])
  if (!way) {
    console.error(
      'dicom-dimse-native could not be fetched and did not compile: it needs cmake and a C++ compiler. CI=1 npm run native shows why.',
    )
    process.exit(1)
  }
  console.log(`dicom-dimse-native: ${way} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
}
