const STORAGE_KEY = 'isthmus-stat-sound'

/** Whether this PC makes a sound for STAT studies: not until somebody wants it. */
export const isSoundOn = (): boolean => localStorage.getItem(STORAGE_KEY) === 'on'

export function setSound(isOn: boolean): void {
  localStorage.setItem(STORAGE_KEY, isOn ? 'on' : 'off')
}

const TONES = [
  { hertz: 880, at: 0 },
  { hertz: 1175, at: 0.16 },
] as const

/** Two short tones. A browser that has not been clicked in yet keeps silent. */
export function chime(): void {
  const context = new AudioContext()
  const volume = context.createGain()
  volume.gain.value = 0.08
  volume.connect(context.destination)
  for (const { hertz, at } of TONES) {
    const tone = context.createOscillator()
    tone.frequency.value = hertz
    tone.connect(volume)
    tone.start(context.currentTime + at)
    tone.stop(context.currentTime + at + 0.13)
  }
  setTimeout(() => void context.close(), 1000)
}
