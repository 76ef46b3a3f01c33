/** Loaded soon after the first screen: when the window locks, the gateway may be away. */
export const loadLockScreen = async () => (await import('./lock-screen.tsx')).LockScreen
