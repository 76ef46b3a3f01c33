import { spawnSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { TestContext } from 'vitest'
import { canFailDisks, canMount } from './mount.ts'

const has = (command: string) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** What a test may need of the machine: whether it is there, and how to say that it is not. */
const NEEDS = {
  dcmtk: { there: () => has('findscu') && has('wlmscpfs'), missing: 'DCMTK is not installed' },
  orthanc: { there: () => has('Orthanc'), missing: 'Orthanc is not installed' },
  dicom3tools: { there: () => has('dciodvfy'), missing: 'dicom3tools is not installed' },
  pydicom: {
    there: () => spawnSync('/usr/bin/python3', ['-c', 'import pydicom'], { stdio: 'ignore' }).status === 0,
    missing: 'pydicom is not installed',
  },
  mounts: { there: canMount, missing: 'file systems can be mounted by root alone' },
  loops: { there: canFailDisks, missing: 'loop devices or mkfs.ext4 are missing' },
  space: { there: () => freeBytes(tmpdir()) > 6e9, missing: 'fewer than 6 GB are free in the temporary folder' },
  poppler: { there: () => has('pdftotext') && has('pdfinfo'), missing: 'poppler-utils is not installed' },
  rclone: { there: () => has('rclone'), missing: 'rclone is not installed' },
  strace: {
    there: () =>
      spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=openat', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0,
    missing: 'strace is not installed, or may not trace (Linux only)',
  },
  rsyslog: {
    there: () => has('rsyslogd') && ['x86_64', 'aarch64'].some((arch) => existsSync(`/usr/lib/${arch}-linux-gnu/rsyslog/lmnsd_gtls.so`)),
    missing: 'rsyslog with TLS is not installed',
  },
  xmllint: { there: () => has('xmllint'), missing: 'xmllint is not installed' },
  curl: { there: () => has('curl') && has('bash'), missing: 'curl or bash is not installed' },
  python: { there: () => has('python3'), missing: 'Python 3 is not installed' },
  bench: {
    there: () => existsSync(new URL('../../../shared/bench/probe.py', import.meta.url)),
    missing: 'the bench folder is not beside the project',
  },
} as const
export type Need = keyof typeof NEEDS

/** For what is prepared before the tests. */
export const isThere = (thing: Need): boolean => NEEDS[thing].there()

/** Skips the test, with the reason, where the machine lacks something. Call it first in the test. */
export function needs(context: TestContext, ...things: Need[]): void {
  const lacking = things.filter((thing) => !NEEDS[thing].there()).map((thing) => NEEDS[thing].missing)
  if (lacking.length === 0) return
  const reason = lacking.join(', ')
  Object.assign(context.task.meta, { needs: reason })
  context.skip(reason)
}
