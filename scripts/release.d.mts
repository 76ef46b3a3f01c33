/** What is wrong with a new version number, or undefined. */
export declare function versionFault(current: string, next: string): string | undefined

/** Order by precedence of Semantic Versioning: negative, zero or positive. */
export declare function compareVersions(left: string, right: string): number

/**
 * The text of a changelog whose Unreleased section has become the section of a version; throws
 * where it cannot.
 */
export declare function releaseChangelog(text: string, version: string, date: string): string

/**
 * The body of the section of a version or of Unreleased, trimmed; undefined where there is no such
 * section.
 */
export declare function sectionOf(text: string, name: string): string | undefined

/**
 * Prepares a release in a folder and returns the files it changed; throws before anything is
 * written.
 */
export declare function prepareRelease(release: {
  folder: string
  version: string
  date: string
}): string[]
