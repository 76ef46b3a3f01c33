// node scripts/ceph-rgw.mjs: installs a Ceph cluster from the packages of Debian or Ubuntu, where
// it is missing, and tests the tiers against its RADOS Gateway on 127.0.0.1. It needs root to
// install, and 2 GB of memory.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const run = (command, args, options = {}) => {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options })
  if (status !== 0) process.exit(status ?? 1)
}
const has = (command) => spawnSync('which', [command], { stdio: 'ignore' }).status === 0

if (!PACKAGES.every(has)) {
  run('apt-get', ['update', '-qq'])
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], { env })
}
const root = join(import.meta.dirname, '..')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const test = ['run', '--project', 'interop', 'test/interop/ceph-rgw.test.ts']
// Only this command runs it: a cluster takes a minute to start.
run(process.execPath, [vitest, ...test], { cwd: root, env: { ...process.env, ISTHMUS_CEPH: '1' } })
