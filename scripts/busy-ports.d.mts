/** Where the demo listens unless options say otherwise. */
export declare const DEMO_PORTS: Record<'http' | 'dimse' | 'dimse-tls', string>

/**
 * The ports of the demo that other programs use, all at once, each as the option that chooses it:
 * `--http 127.0.0.1:8042`. Ports that the operating system chooses (0) are not tried.
 */
export declare function busyPorts(args: readonly string[]): Promise<string[]>
