import { spawnSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TaskMeta, TestContext } from 'vitest'
import { canFailDisks, canMount } from './mount.ts'
import { DICOMWEB_PLUGIN } from './orthanc.ts'

const root = join(import.meta.dirname, '../..')
const has = (command: string) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0

const hasPython = (program: string) =>
  spawnSync('/usr/bin/python3', ['-c', program], { stdio: 'ignore' }).status === 0
const hasPydicom = () => hasPython('import pydicom')

/** Files that come with pydicom, as Debian's package lays them down. */
export const PYDICOM_SAMPLES = '/usr/lib/python3/dist-packages/pydicom/data/test_files'

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * What a test may need of the machine: whether it is there, and how to say that it is not.
 * scripts/test-tools.mjs has a row for each, which says on which systems CI accepts its absence.
 */
const NEEDS = {
  linux: { there: () => process.platform === 'linux', missing: 'it needs Linux' },
  posix: { there: () => process.platform !== 'win32', missing: 'it needs a POSIX system' },
  root: { there: () => process.getuid?.() === 0, missing: 'it needs the account root' },
  dcmtk: { there: () => has('findscu') && has('wlmscpfs'), missing: 'DCMTK is not installed' },
  orthanc: { there: () => has('Orthanc'), missing: 'Orthanc is not installed' },
  'orthanc-dicomweb': {
    there: () => has('Orthanc') && existsSync(DICOMWEB_PLUGIN),
    missing: 'Orthanc with its DICOMweb plugin is not installed',
  },
  ceph: {
    there: () => process.env.ISTHMUS_CEPH === '1' && has('ceph-mon') && has('radosgw'),
    missing: 'Ceph is not installed',
  },
  gdcm: { there: () => has('gdcmconv'), missing: 'GDCM is not installed' },
  dicom3tools: { there: () => has('dciodvfy'), missing: 'dicom3tools is not installed' },
  pydicom: { there: hasPydicom, missing: 'pydicom is not installed' },
  samples: {
    there: () =>
      hasPydicom() &&
      existsSync(PYDICOM_SAMPLES) &&
      existsSync('/usr/share/doc/dicom3tools/examples'),
    missing: 'the sample files of Debian’s packages are not here',
  },
  'dcmtk-samples': {
    there: () => existsSync('/usr/share/doc/dcmtk/examples/wlistqry'),
    missing: 'the sample files of DCMTK are not here',
  },
  mounts: { there: canMount, missing: 'file systems can be mounted by root alone' },
  loops: { there: canFailDisks, missing: 'loop devices or mkfs.ext4 are missing' },
  space: {
    there: () => freeBytes(tmpdir()) > 6e9,
    missing: 'fewer than 6 GB are free in the temporary folder',
  },
  poppler: {
    there: () => has('pdftotext') && has('pdfinfo'),
    missing: 'poppler-utils is not installed',
  },
  rclone: { there: () => has('rclone'), missing: 'rclone is not installed' },
  strace: {
    there: () =>
      spawnSync(
        'strace',
        ['-f', '--seccomp-bpf', '-e', 'trace=openat', '-o', '/dev/null', 'true'],
        { stdio: 'ignore' },
      ).status === 0,
    missing: 'strace is not installed, or may not trace (Linux only)',
  },
  systemd: { there: () => has('systemd-analyze'), missing: 'systemd is not installed' },
  rsyslog: {
    there: () =>
      has('rsyslogd') &&
      ['x86_64', 'aarch64'].some((arch) =>
        existsSync(`/usr/lib/${arch}-linux-gnu/rsyslog/lmnsd_gtls.so`),
      ),
    missing: 'rsyslog with TLS is not installed',
  },
  xmllint: { there: () => has('xmllint'), missing: 'xmllint is not installed' },
  curl: { there: () => has('curl') && has('bash'), missing: 'curl or bash is not installed' },
  python: { there: () => has('python3'), missing: 'Python 3 is not installed' },
  'python-wheel': {
    there: () =>
      hasPython('import sys, setuptools, wheel, pip; assert sys.version_info >= (3, 11)'),
    missing: 'pip, setuptools and wheel of Python 3.11 are not installed',
  },
  mypy: { there: () => hasPython('import mypy'), missing: 'mypy is not installed' },
  native: {
    there: () => existsSync(join(root, 'node_modules/dicom-dimse-native/build/Release/dcmtk.node')),
    missing: 'dicom-dimse-native is not built',
  },
  dist: { there: () => existsSync(join(root, 'dist/.built')), missing: 'the program is not built' },
} as const
export type Need = keyof typeof NEEDS

/** Every reason for which a test may be skipped. */
export const REASONS: readonly string[] = Object.values(NEEDS).map(({ missing }) => missing)

/** For what is prepared before the tests. */
export const isThere = (thing: Need): boolean => NEEDS[thing].there()

/** Why a test of Playwright is skipped, which knows no `needs`. */
export const lackingOf = (...things: Need[]): string[] =>
  things.filter((thing) => !isThere(thing)).map((thing) => NEEDS[thing].missing)

/**
 * Skips the test, with the reasons, where the machine lacks something. Call it first in the test.
 */
export function needs(context: TestContext, ...things: Need[]): void {
  const lacking = lackingOf(...things)
  if (lacking.length === 0) return
  Object.assign(context.task.meta, { needs: lacking })
  context.skip(lacking.join(', '))
}

/** The same as options of `it` or `describe`: hooks of a suite that is skipped do not run. */
export function needing(...things: Need[]): { readonly skip: boolean; readonly meta: TaskMeta } {
  const lacking = lackingOf(...things)
  return { skip: lacking.length > 0, meta: lacking.length > 0 ? { needs: lacking } : {} }
}

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test is skipped; scripts/test.mjs prints it. */
    needs?: readonly string[]
  }
}
