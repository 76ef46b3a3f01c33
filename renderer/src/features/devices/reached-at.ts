/** A listener on every address is reached at that of the PC. */
export const reachableAddress = (address: string, thisPc: string) =>
  address.replace(/^(0\.0\.0\.0|\[?::\]?):(?=\d+$)/, thisPc)
