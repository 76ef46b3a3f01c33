/** Why Electron's binary is missing, after ten seconds of trying to fetch it; undefined where it is there. */
export declare function missingElectronBinary(): string | undefined

/** Makes git run .githooks in a checkout, unless it is CI's or has hooks of its own. */
export declare function installGitHooks(folder: string, env?: Readonly<Record<string, string | undefined>>): void
