// The release, for /health, the log and the API's description.
import manifest from '../../package.json' with { type: 'json' }

export const version: string = manifest.version
