// node scripts/test-tools.mjs: installs the programs that the tests compare with, by the package
// manager of this system, and prints which of them this system cannot have. It fails where one that
// it should have is missing afterwards.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const has = (command) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0
const hasPython = (program) =>
  spawnSync('/usr/bin/python3', ['-c', program], { stdio: 'ignore' }).status === 0
const hasBrowser = () => (process.env.CHROMIUM ? existsSync(process.env.CHROMIUM) : has('chromium'))

/** Marks a program that a system cannot have, with the reason. */
const not = (reason) => ({ reason })
const ofSystem = 'part of the system'

/**
 * Each program, how it is found, and its package by platform: apt on Debian, Homebrew on macOS,
 * Chocolatey on Windows; `pip` and a version for Python packages. The last rows are no programs, so
 * nothing looks for them before the tests. `skips` is the reason by which test/support/needs.ts
 * skips a test without it: every reason there has a row here.
 */
const TOOLS = {
  DCMTK: {
    isHere: () => has('findscu'),
    linux: 'dcmtk',
    darwin: 'dcmtk',
    win32: 'dcmtk',
    skips: 'DCMTK is not installed',
  },
  Orthanc: {
    isHere: () => has('Orthanc'),
    linux: 'orthanc',
    darwin: not('Homebrew has no formula of it'),
    win32: not('its installer registers a service and puts no command on the PATH'),
    skips: 'Orthanc is not installed',
  },
  'Orthanc DICOMweb': {
    isHere: () => existsSync('/usr/share/orthanc/plugins/libOrthancDicomWeb.so'),
    linux: 'orthanc-dicomweb',
    darwin: not('Homebrew has no formula of it'),
    win32: not('its installer registers a service and puts no command on the PATH'),
    skips: 'Orthanc with its DICOMweb plugin is not installed',
  },
  Ceph: {
    isHere: () => process.env.ISTHMUS_CEPH === '1' && has('ceph-mon') && has('radosgw'),
    linux: not(
      'its packages are large: `node scripts/ceph-rgw.mjs` installs them and runs the test',
    ),
    darwin: not('Homebrew has no formula of it'),
    win32: not('there is no server for Windows'),
    skips: 'Ceph is not installed',
  },
  GDCM: {
    isHere: () => has('gdcmconv'),
    linux: 'libgdcm-tools',
    darwin: 'gdcm',
    win32: not('Chocolatey has no package of it'),
    skips: 'GDCM is not installed',
  },
  dicom3tools: {
    isHere: () => has('dciodvfy'),
    linux: 'dicom3tools',
    darwin: not('Homebrew has no formula of it'),
    win32: not('Chocolatey has no package of it'),
    skips: 'dicom3tools is not installed',
  },
  Poppler: {
    isHere: () => has('pdftotext'),
    linux: 'poppler-utils',
    darwin: 'poppler',
    win32: 'poppler',
    skips: 'poppler-utils is not installed',
  },
  rclone: {
    isHere: () => has('rclone'),
    linux: 'rclone',
    darwin: 'rclone',
    win32: 'rclone',
    skips: 'rclone is not installed',
  },
  systemd: {
    isHere: () => has('systemd-analyze'),
    linux: 'systemd',
    darwin: not('it is a part of Linux'),
    win32: not('it is a part of Linux'),
    skips: 'systemd is not installed',
  },
  Chromium: { isHere: hasBrowser, linux: 'chromium', darwin: ofSystem, win32: ofSystem },
  strace: {
    isHere: () => has('strace'),
    linux: 'strace',
    darwin: not('it traces Linux system calls'),
    win32: not('it traces Linux system calls'),
    skips: 'strace is not installed, or may not trace (Linux only)',
  },
  rsyslog: {
    isHere: () => has('rsyslogd'),
    linux: 'rsyslog',
    darwin: not('Homebrew has it without GnuTLS'),
    win32: not('it runs on Unix systems alone'),
    skips: 'rsyslog with TLS is not installed',
  },
  'rsyslog TLS': {
    isHere: () =>
      ['x86_64', 'aarch64'].some((arch) =>
        existsSync(`/usr/lib/${arch}-linux-gnu/rsyslog/lmnsd_gtls.so`),
      ),
    linux: 'rsyslog-gnutls',
    darwin: not('Homebrew has rsyslog without GnuTLS'),
    win32: not('it runs on Unix systems alone'),
    skips: 'rsyslog with TLS is not installed',
  },
  xmllint: {
    isHere: () => has('xmllint'),
    linux: 'libxml2-utils',
    darwin: ofSystem,
    win32: not('Chocolatey has no package of it'),
    skips: 'xmllint is not installed',
  },
  curl: {
    isHere: () => has('curl'),
    linux: 'curl',
    darwin: ofSystem,
    win32: ofSystem,
    skips: 'curl or bash is not installed',
  },
  'Python 3': {
    isHere: () => has('python3'),
    linux: 'python3',
    darwin: ofSystem,
    win32: ofSystem,
    skips: 'Python 3 is not installed',
  },
  pydicom: {
    isHere: () => hasPython('import pydicom'),
    linux: 'python3-pydicom',
    // The last line for Python 3.9, which /usr/bin/python3 is there.
    darwin: { pip: 'pydicom==2.4.4' },
    win32: not('the tests call /usr/bin/python3'),
    skips: 'pydicom is not installed',
  },
  'wheels of Python': {
    isHere: () => hasPython('import setuptools, wheel, pip'),
    linux: ['python3-pip', 'python3-setuptools', 'python3-wheel'],
    darwin: not('/usr/bin/python3 there is Python 3.9'),
    win32: not('the tests call /usr/bin/python3'),
    skips: 'pip, setuptools and wheel of Python 3.11 are not installed',
  },
  mypy: {
    isHere: () => hasPython('import mypy'),
    linux: 'mypy',
    darwin: not('/usr/bin/python3 there is Python 3.9'),
    win32: not('the tests call /usr/bin/python3'),
    skips: 'mypy is not installed',
  },
  Linux: {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('/proc, /dev/full and the folder of the Linux app are on Linux alone'),
    win32: not('/proc, /dev/full and the folder of the Linux app are on Linux alone'),
    skips: 'it needs Linux',
  },
  'POSIX modes, limits and signals': {
    isHere: () => true,
    linux: ofSystem,
    darwin: ofSystem,
    win32: not('Windows has no file modes, no ulimit and no SIGTERM'),
    skips: 'it needs a POSIX system',
  },
  'the account root': {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('the account of a macOS runner is not root'),
    win32: not('Windows has no account root'),
    skips: 'it needs the account root',
  },
  'free space': {
    isHere: () => true,
    linux: ofSystem,
    darwin: ofSystem,
    win32: ofSystem,
    skips: 'fewer than 6 GB are free in the temporary folder',
  },
  // scripts/test.mjs makes these two before the tests, and says itself where it could not.
  'dicom-dimse-native': {
    isHere: () => true,
    linux: ofSystem,
    darwin: ofSystem,
    win32: ofSystem,
    skips: 'dicom-dimse-native is not built',
  },
  'the built program': {
    isHere: () => true,
    linux: ofSystem,
    darwin: ofSystem,
    win32: ofSystem,
    skips: 'the program is not built',
  },
  'sample files of pydicom and dicom3tools': {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('the tests read them where the packages of Debian lay them down'),
    win32: not('the tests read them where the packages of Debian lay them down'),
    skips: 'the sample files of Debian’s packages are not here',
  },
  'sample files of DCMTK': {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('the tests read them where the package of Debian lays them down'),
    win32: not('the tests read them where the package of Debian lays them down'),
    skips: 'the sample files of DCMTK are not here',
  },
  'small file systems': {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('a tmpfs of a given size can be mounted on Linux alone'),
    win32: not('a tmpfs of a given size can be mounted on Linux alone'),
    skips: 'file systems can be mounted by root alone',
  },
  'loop devices': {
    isHere: () => true,
    linux: ofSystem,
    darwin: not('a file system that fails under open files needs loop devices and ext4'),
    win32: not('a file system that fails under open files needs loop devices and ext4'),
    skips: 'loop devices or mkfs.ext4 are missing',
  },
}

/**
 * Makes the browser tests a fifth cheaper where the distribution has it (Debian); they run with
 * Chromium without it.
 */
const HEADLESS_SHELL = 'chromium-headless-shell'

/**
 * What a system must have, and what it cannot have, with the reason and the reason of the tests
 * that are skipped.
 */
export function toolsOf(platform = process.platform) {
  const rows = Object.entries(TOOLS).map(([name, tool]) => ({
    name,
    ...tool,
    at: tool[platform] ?? tool.linux,
  }))
  return {
    required: rows
      .filter(({ at }) => !at.reason)
      .map(({ name, isHere, at, skips }) => ({
        name,
        isHere,
        skips,
        ...(at.pip ? { pip: at.pip } : at === ofSystem ? {} : { package: at }),
      })),
    unavailable: rows
      .filter(({ at }) => at.reason)
      .map(({ name, at, skips }) => ({ name, reason: at.reason, skips })),
  }
}

/**
 * The tests that CI does not accept as skipped on this system.
 * @template {{ readonly reasons: readonly string[] }} Test
 * @param {readonly Test[]} skipped
 * @returns {Test[]}
 */
export function unacceptedSkips(skipped, platform = process.platform) {
  const accepted = new Set(toolsOf(platform).unavailable.flatMap(({ skips }) => skips ?? []))
  return skipped.filter(
    ({ reasons }) => reasons.length === 0 || !reasons.every((reason) => accepted.has(reason)),
  )
}

/**
 * Names of the required programs that are missing, after an attempt to install them where
 * `canInstall` says so.
 */
export function installTools() {
  const { required } = toolsOf()
  const lacking = () => required.filter(({ isHere }) => !isHere())
  const absent = lacking()
  const packages = absent.flatMap((tool) => tool.package ?? [])
  const run = (command, ...args) => {
    console.log(`${command} ${args.join(' ')}`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync(command, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
      shell: process.platform === 'win32',
    })
  }
  if (packages.length > 0 && canInstall()) {
    if (process.platform === 'linux') {
      run('apt-get', '-qq', 'update')
      run(
        'apt-get',
        '-qq',
        '-o',
        'Dpkg::Use-Pty=0',
        'install',
        '-y',
        '--no-install-recommends',
        ...packages,
      )
    } else if (process.platform === 'darwin') run('brew', 'install', ...packages)
    else run('choco', 'install', '--yes', '--no-progress', ...packages)
  }
  if (process.platform === 'linux' && canInstall() && !process.env.CHROMIUM && !has(HEADLESS_SHELL))
    run(
      'apt-get',
      '-qq',
      '-o',
      'Dpkg::Use-Pty=0',
      'install',
      '-y',
      '--no-install-recommends',
      HEADLESS_SHELL,
    )
  if (canInstall())
    for (const { pip } of absent)
      if (pip) run('/usr/bin/python3', '-m', 'pip', 'install', '--user', pip)
  return (absent.length > 0 ? lacking() : []).map(({ name }) => name)
}

/**
 * Root on Debian may; on macOS and Windows only a CI machine, because somebody's own PC is not ours
 * to change.
 */
function canInstall() {
  if (process.platform === 'linux')
    return process.getuid?.() === 0 && existsSync('/etc/debian_version')
  return Boolean(process.env.CI)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const missing = installTools()
  for (const { name, reason } of toolsOf().unavailable)
    console.log(`Not on ${process.platform}: ${name} (${reason})`)
  if (missing.length > 0) console.error(`Missing: ${missing.join(', ')}`)
  process.exit(missing.length > 0 ? 1 : 0)
}
