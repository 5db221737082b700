// The release, as /health, the log and the API's description name it.
import manifest from '../../package.json' with { type: 'json' }

export const version: string = manifest.version
