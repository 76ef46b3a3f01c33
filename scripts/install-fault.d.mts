/** Why npm could not install the packages, in one sentence; undefined for another fault. */
export function installFault(
  stderr: string,
  registry: string,
  env: NodeJS.ProcessEnv,
): string | undefined
