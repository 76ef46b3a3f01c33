/** Names of the signing variables of a platform that are missing or empty. */
export declare function missingSigning(
  platform: string,
  environment: Readonly<Record<string, string | undefined>>,
): string[]
