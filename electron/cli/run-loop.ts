import type { Gateway, GatewayOptions } from '#server/modules/control/gateway-options.ts'
import { canBeRescued, openRescue } from '#server/modules/control/rescue.ts'
import { openGateway } from '#server/server.ts'
import { untilStopped } from './parent-port.ts'

type RunOutcome = 'stopped' | 'again'

/**
 * Runs the gateway until the process is told to stop. After a restore it reopens the gateway in
 * this process, so that neither a service manager nor the desktop app is involved.
 */
export class RunLoop {
  readonly #options: GatewayOptions
  readonly #print: (line: Readonly<Record<string, unknown>>) => void
  #stopped: Promise<RunOutcome> | undefined
  /**
   * Kept for the next gateway, because the key may be moved out of its file while one is running.
   */
  #dataKey: Buffer | undefined
  /** Kept so that an open rescue page stays valid if the first backup did not help. */
  #rescueToken: string | undefined

  /** @param print prints the line with the addresses of the listeners */
  constructor(options: GatewayOptions, print: (line: Readonly<Record<string, unknown>>) => void) {
    this.#options = options
    this.#print = print
    this.#dataKey = options.dataKey
  }

  /**
   * @param isRescue whether to serve a rescue page if the data folder cannot be opened
   * @throws StartError, StoreError as `openGateway`
   */
  async run(isRescue: boolean): Promise<void> {
    while ((await this.#serve(isRescue)) === 'again') this.#options.log.info('starting again')
  }

  async #serve(isRescue: boolean): Promise<RunOutcome> {
    try {
      return await this.#serveGateway()
    } catch (error) {
      // Closing what has the damaged database open may have failed, too.
      const fault = error instanceof SuppressedError ? error.suppressed : error
      if (!isRescue || !canBeRescued(fault)) throw fault
      return await this.#rescue(fault)
    }
  }

  /** @throws StoreError also if the database proves to be damaged while it is served */
  async #serveGateway(): Promise<RunOutcome> {
    const { log, isSafe } = this.#options
    const restartRequest = Promise.withResolvers<RunOutcome>()
    await using gateway = await this.#open(() => restartRequest.resolve('again'))
    const { http, https, dimse, dimseTls } = gateway
    const damage = new Promise<never>((_, reject) => gateway.integrityCheck.catch(reject))
    // Created first, because a reader of the line may stop the process immediately.
    const stopped = this.#untilStopped()
    this.#print({
      ready: true,
      http,
      ...(https && { https }),
      ...(dimse && { dimse }),
      ...(isSafe && { safeMode: true }),
      ...(dimseTls && { dimseTls }),
    })
    log.info({ http, dimse }, 'ready')
    const end = await Promise.race([restartRequest.promise, stopped, damage])
    log.info('stopping')
    return end
  }

  #open(restart: () => void): Promise<Gateway> {
    return openGateway({
      ...this.#options,
      dataKey: this.#dataKey,
      onRecoveryKey: (dataKey) => {
        this.#dataKey = dataKey
        this.#options.onRecoveryKey?.(dataKey)
      },
      restart,
    })
  }

  async #rescue(fault: Parameters<typeof openRescue>[0]['fault']): Promise<RunOutcome> {
    const { folder, log, version, pageFolder, overrides } = this.#options
    const completion = Promise.withResolvers<RunOutcome>()
    await using page = await openRescue({
      folder,
      fault,
      log,
      version,
      pageFolder,
      dataKey: this.#dataKey,
      token: this.#rescueToken,
      host: overrides?.['http.host'],
      port: overrides?.['http.port'],
      onDone: () => completion.resolve('again'),
    })
    this.#rescueToken = page.token
    const stopped = this.#untilStopped()
    this.#print({ ready: true, rescue: true, http: page.http, link: page.link })
    return await Promise.race([completion.promise, stopped])
  }

  /** Called once something is serving; until then a signal terminates the process as usual. */
  #untilStopped(): Promise<RunOutcome> {
    this.#stopped ??= untilStopped().then(() => 'stopped')
    return this.#stopped
  }
}
