// The hosts of reranking, each as its maker serves it.
import type { SimulatedDialect } from '../dialect.ts';
import { cohereRerank } from './cohere.ts';
import { otherHosts } from './hosts.ts';

export const rerankDialects: readonly SimulatedDialect[] = [cohereRerank, ...otherHosts];
