// The part of kafkajs 2.2.4 below its public face that reading without a group needs (see kafka/fetcher.ts). The version
// is pinned exactly, and the contract suite runs through all of it.

declare module 'kafkajs/src/cluster/index.js' {
  export interface RawRecord {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | Buffer[] | null>>;
    readonly isControlRecord: boolean;
    readonly batchContext: {
      readonly firstOffset: string;
      readonly lastOffsetDelta: number;
      readonly producerId: string;
      readonly inTransaction: boolean;
    };
  }

  export interface RawPartition {
    readonly partition: number;
    readonly highWatermark: string;
    readonly lastStableOffset: string;
    /** The log's start. */
    readonly lastStartOffset: string;
    readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[] | null;
    readonly messages: readonly RawRecord[];
  }

  interface Broker {
    fetch(request: {
      readonly isolationLevel: number;
      readonly maxWaitTime: number;
      readonly minBytes: number;
      readonly maxBytes: number;
      readonly topics: readonly {
        readonly topic: string;
        readonly partitions: readonly {
          readonly partition: number;
          readonly fetchOffset: string;
          readonly maxBytes: number;
        }[];
      }[];
    }): Promise<{ readonly responses: readonly { readonly partitions: readonly RawPartition[] }[] }>;
  }

  export default class Cluster {
    constructor(options: Record<string, unknown>);
    readonly brokerPool: {
      /** As of the last refresh; of every topic, unless target topics were named. */
      readonly metadata: { readonly topicMetadata: readonly { readonly topic: string }[] } | null;
    };
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
    findTopicPartitionMetadata(topic: string): readonly { readonly partitionId: number }[];
    findLeaderForPartitions(topic: string, partitions: readonly number[]): Record<string, number[]>;
    findBroker(node: { readonly nodeId: string }): Promise<Broker>;
    fetchTopicsOffset(
      topics: readonly {
        readonly topic: string;
        readonly fromBeginning: boolean;
        readonly partitions: readonly { readonly partition: number }[];
      }[],
    ): Promise<
      readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
      }[]
    >;
  }
}

declare module 'kafkajs/src/network/socketFactory.js' {
  import type { ISocketFactory } from 'kafkajs';
  export default function defaultSocketFactory(): ISocketFactory;
}
