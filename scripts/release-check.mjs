// node scripts/release-check.mjs TAG: what must be true of a tag before its installers are built.
// Run by .github/workflows/release.yml. It fails where one of these is not so: the tag is v and the
// version of package.json; the changelog has a section of that version; the commit is on the main
// branch; a nightly run of that very commit is green.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sectionOf } from './release.mjs'
import { root } from './setup.mjs'

const NIGHTLY = 'nightly.yml'

/**
 * Faults of a tag, a sentence each.
 * @param {{ tag: string, version: string, lockVersion: string, changelog: string, isOnMain:
 *   boolean }} release
 */
export function tagFaults({ tag, version, lockVersion, changelog, isOnMain }) {
  return [
    ...(tag === `v${version}`
      ? []
      : [`The tag is ${tag}, but package.json has version ${version}.`]),
    ...(lockVersion === version
      ? []
      : [`package-lock.json has version ${lockVersion}, package.json ${version}.`]),
    ...(sectionOf(changelog, version)
      ? []
      : [`CHANGELOG.md has no section of ${version}, or it is empty.`]),
    ...(sectionOf(changelog, 'Unreleased')
      ? ['CHANGELOG.md has unreleased changes: prepare the release again.']
      : []),
    ...(isOnMain ? [] : ['The tagged commit is not on the main branch.']),
  ]
}

/**
 * Faults of the nightly runs of a commit, a sentence each. The newest completed run counts: a
 * failure after a success is a failure.
 * @param {{ conclusion: string | null, status: string, head_sha: string, path: string, event:
 *   string, created_at: string }[]} runs `workflow_runs` of GitHub's REST API
 */
export function nightlyFaults(commit, runs) {
  const own = runs
    .filter((run) => run.head_sha === commit && run.path === `.github/workflows/${NIGHTLY}`)
    .filter((run) => ['schedule', 'workflow_dispatch'].includes(run.event))
    .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  const last = own.find((run) => run.status === 'completed')
  const how = `gh workflow run ${NIGHTLY} --ref main starts one.`
  if (!last) return [`There is no completed nightly run of ${commit}: ${how}`]
  return last.conclusion === 'success'
    ? []
    : [`The last nightly run of ${commit} ended with ${last.conclusion}: ${how}`]
}

function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout.trim()
}

function check(tag) {
  const read = (file) => readFileSync(join(root, file), 'utf8')
  const { version } = JSON.parse(read('package.json'))
  const { version: lockVersion } = JSON.parse(read('package-lock.json'))
  const changelog = read('CHANGELOG.md')
  const commit = run('git', ['rev-parse', 'HEAD'])
  const isOnMain =
    spawnSync('git', ['merge-base', '--is-ancestor', commit, 'origin/main'], { cwd: root })
      .status === 0
  const runs = `repos/{owner}/{repo}/actions/workflows/${NIGHTLY}/runs?head_sha=${commit}&per_page=100`
  const faults = [
    ...tagFaults({ tag, version, lockVersion, changelog, isOnMain }),
    ...nightlyFaults(commit, JSON.parse(run('gh', ['api', runs])).workflow_runs),
  ]
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) return 1
  mkdirSync(join(root, 'release'), { recursive: true })
  writeFileSync(join(root, 'release', 'notes.md'), `${sectionOf(changelog, version)}\n`)
  console.log(`${tag} may be built: its nightly run is green. Its notes are in release/notes.md.`)
  return 0
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exit(check(process.argv[2] ?? ''))
