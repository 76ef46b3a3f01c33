// npm run release -- VERSION: prepares a release in the working tree. The Unreleased section of
// CHANGELOG.md becomes the section of VERSION; package.json, package-lock.json and the two
// statements get its number. It commits, tags and pushes nothing: docs/RELEASING.md has the steps
// that follow.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, stop } from './setup.mjs'

const HEADING = /^## .*$/gm
const UNRELEASED = /^## Unreleased[ \t]*$/m

/**
 * What is wrong with a new version number, or undefined. Semantic Versioning 2.0.0, clauses 2, 9
 * and 11.
 */
export function versionFault(current, next) {
  if (!parse(next)) return `"${next}" is no semantic version, such as 1.2.3 or 1.2.3-rc.1.`
  return compareVersions(next, current) > 0 ? undefined : `${next} is not newer than ${current}.`
}

function parse(version) {
  const number = '(0|[1-9]\\d*)'
  const identifier = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)'
  const form = new RegExp(
    `^${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?$`,
  )
  return form.exec(version)
}

/** Order by precedence: negative, zero or positive, as Array.sort takes it. */
export function compareVersions(left, right) {
  const [a, b] = [parse(left), parse(right)]
  for (const part of [1, 2, 3]) if (a[part] !== b[part]) return Number(a[part]) - Number(b[part])
  if (a[4] === b[4]) return 0
  if (a[4] === undefined) return 1
  if (b[4] === undefined) return -1
  const [ours, theirs] = [a[4].split('.'), b[4].split('.')]
  for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
    if (ours[at] === theirs[at]) continue
    if (ours[at] === undefined) return -1
    if (theirs[at] === undefined) return 1
    const [isNumber, areNumbers] = [/^\d+$/.test(ours[at]), /^\d+$/.test(theirs[at])]
    if (isNumber && areNumbers) return Number(ours[at]) - Number(theirs[at])
    if (isNumber !== areNumbers) return isNumber ? -1 : 1
    return ours[at] < theirs[at] ? -1 : 1
  }
  return 0
}

/**
 * The text of a changelog whose Unreleased section has become the section of a version (Keep a
 * Changelog 1.1.0).
 */
export function releaseChangelog(text, version, date) {
  if (!UNRELEASED.test(text)) throw new Error('CHANGELOG.md has no section "## Unreleased".')
  if (!sectionOf(text, 'Unreleased'))
    throw new Error('The Unreleased section of CHANGELOG.md is empty: there is nothing to release.')
  if (sectionOf(text, version) !== undefined)
    throw new Error(`CHANGELOG.md has a section of ${version} already.`)
  return text.replace(UNRELEASED, `## Unreleased\n\n## ${version} - ${date}`)
}

/**
 * The body of the section of a version or of Unreleased, trimmed; undefined where there is no such
 * section.
 */
export function sectionOf(text, name) {
  const headings = [...text.matchAll(HEADING)]
  const at = headings.findIndex(
    ([line]) => line.slice(3).split(/\s/, 1)[0].replace(/[[\]]/g, '') === name,
  )
  if (at < 0) return undefined
  const from = headings[at].index + headings[at][0].length
  return text.slice(from, headings[at + 1]?.index ?? text.length).trim()
}

/** Replaces what a pattern finds exactly once; anything else is an error that names the file. */
function replaceOnce(text, pattern, replacement, file) {
  const found = [...text.matchAll(new RegExp(pattern, 'g'))].length
  if (found !== 1) throw new Error(`${file}: expected ${pattern} once, found it ${found} times.`)
  return text.replace(new RegExp(pattern), replacement)
}

/**
 * Prepares the release in a folder, or throws before anything is written.
 * @param {{ folder: string, version: string, date: string }} release date as YYYY-MM-DD
 */
export function prepareRelease({ folder, version, date }) {
  const git = spawnSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' })
  if (git.status !== 0) throw new Error(`git status failed: ${git.stderr}`)
  if (git.stdout !== '')
    throw new Error(`The working tree is not clean; commit or stash first:\n${git.stdout}`)

  const read = (file) => readFileSync(join(folder, file), 'utf8')
  const current = JSON.parse(read('package.json')).version
  // The first release has the number that package.json was created with.
  const isFirst = version === current && sectionOf(read('CHANGELOG.md'), current) === undefined
  const fault = isFirst ? undefined : versionFault(current, version)
  if (fault) throw new Error(fault)

  const lock = JSON.parse(read('package-lock.json'))
  lock.version = version
  lock.packages[''].version = version
  const was = current.replaceAll('.', '\\.')
  const changed = {
    'CHANGELOG.md': releaseChangelog(read('CHANGELOG.md'), version, date),
    'package.json': replaceOnce(
      read('package.json'),
      `"version": "${was}"`,
      `"version": "${version}"`,
      'package.json',
    ),
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'docs/CONFORMANCE.md': replaceOnce(
      read('docs/CONFORMANCE.md'),
      `\\*\\*Isthmus ${was}\\*\\*(.*)Date of this document: \\d{4}-\\d{2}-\\d{2}`,
      `**Isthmus ${version}**$1Date of this document: ${date}`,
      'docs/CONFORMANCE.md',
    ),
    'docs/INTEGRATION.md': replaceOnce(
      read('docs/INTEGRATION.md'),
      `\\*\\*Date\\*\\* \\| \\d{4}-\\d{2}-\\d{2} \\|([^]*)\\*\\*Version\\*\\* \\| ${was} \\|`,
      `**Date** | ${date} |$1**Version** | ${version} |`,
      'docs/INTEGRATION.md',
    ),
  }
  for (const [file, text] of Object.entries(changed)) writeFileSync(join(folder, file), text)
  return Object.keys(changed)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const version = process.argv[2]
  if (!version) stop('npm run release -- VERSION, such as 1.2.3. See docs/RELEASING.md.')
  try {
    const files = prepareRelease({
      folder: root,
      version,
      date: new Date().toISOString().slice(0, 10),
    })
    console.log(`Prepared ${version}: ${files.join(', ')}.`)
    console.log(
      'Now add a row to the revision history in docs/conformance/implementation.md, run npm test, and go on with docs/RELEASING.md.',
    )
  } catch (error) {
    stop(error.message)
  }
}
