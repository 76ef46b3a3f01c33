import { DICTATION_SAMPLE_RATE } from '#shared/contract/dictation.ts'
import { wavOf } from './wav.ts'

/** A recording of the microphone that goes on. */
export interface Recorder {
  /** How loud it is now, from 0 to 1. */
  level(): number
  /** Milliseconds recorded so far. */
  elapsedMs(): number
  /** Ends it; the whole as a WAVE file. */
  stop(): Promise<Blob>
  /** Ends it and forgets what was recorded. */
  cancel(): void
}

const CONSTRAINTS: MediaStreamConstraints = {
  audio: { channelCount: 1, noiseSuppression: true, autoGainControl: true },
}

/**
 * Asks for the microphone and records it until it is stopped; what is recorded stays in memory.
 * Rejects with the browser's error where there is no microphone, or it may not be used.
 */
export async function startRecorder(): Promise<Recorder> {
  const stream = await navigator.mediaDevices.getUserMedia(CONSTRAINTS)
  const audio = new AudioContext()
  const analyser = audio.createAnalyser()
  analyser.fftSize = 1024
  audio.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const chunks: Blob[] = []
  const recorder = new MediaRecorder(stream)
  const stopped = new Promise<void>((resolve) => {
    recorder.addEventListener('stop', () => resolve(), { once: true })
  })
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data))
  recorder.start(1000)
  const startedAt = performance.now()

  function end(): void {
    if (recorder.state !== 'inactive') recorder.stop()
    for (const track of stream.getTracks()) track.stop()
    void audio.close().catch(() => undefined)
  }
  return {
    level() {
      analyser.getFloatTimeDomainData(samples)
      const meanSquare = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      // Speech at the usual distance fills half of the meter.
      return Math.min(1, Math.sqrt(meanSquare) * 4)
    },
    elapsedMs: () => performance.now() - startedAt,
    async stop() {
      end()
      await stopped
      return wavOf(await decoded(new Blob(chunks)))
    },
    cancel: end,
  }
}

/** The samples of the first channel at `DICTATION_SAMPLE_RATE`. */
async function decoded(recorded: Blob): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, DICTATION_SAMPLE_RATE)
  const buffer = await context.decodeAudioData(await recorded.arrayBuffer())
  return buffer.getChannelData(0)
}
