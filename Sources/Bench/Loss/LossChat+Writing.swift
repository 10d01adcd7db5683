import CampanileClient
import Foundation
import Wire

/// The writes of the conversations' members.
extension LossChat {
    /// Percentage of messages that are edited, deleted and reacted to, and after which the writer marks the
    /// conversation read.
    private static let editedPercent = 10
    private static let deletedPercent = 5
    private static let reactedPercent = 15
    private static let readPercent = 15
    /// Messages of a conversation that are kept as targets for reactions.
    private static let recentMax = 20

    func next(of writer: Int, stamp: LossStamp) -> LossWrite {
        let account = writerAccounts[writer]
        let room = roomsOf[account].randomElement() ?? rooms[0]
        let params = ChatSend.Params(
            conversation: room.id, id: UUID().uuidString.lowercased(), text: stamp.text,
            reply: recent.withLock { $0[room.id]?.randomElement() })
        return LossWrite(
            id: Self.id(ChatEvent.Kind.message.rawValue, by: accounts[account], client: params.id),
            author: accounts[account], effect: .message
        ) { try await $0.call(ChatSend.self, params).lossPosition }
    }

    func sequel(to write: LossWrite, at position: LossPosition, of writer: Int) -> [LossWrite] {
        guard let room = byTopic[position.topic], let offset = position.offset else { return [] }
        let account = accounts[writerAccounts[writer]]
        var writes: [LossWrite] = []
        switch Int.random(in: 0..<100) {
        case ..<Self.deletedPercent: writes.append(deletion(of: offset, in: room, by: account))
        case ..<(Self.deletedPercent + Self.editedPercent): writes.append(edit(offset, in: room, by: account))
        default:
            recent.withLock { recent in
                recent[room.id, default: []].append(offset)
                if recent[room.id]?.count ?? 0 > Self.recentMax { recent[room.id]?.removeFirst() }
            }
        }
        if Int.random(in: 0..<100) < Self.reactedPercent,
            let message = recent.withLock({ $0[room.id]?.randomElement() })
        {
            writes.append(reaction(to: message, in: room, by: account))
        }
        if Int.random(in: 0..<100) < Self.readPercent { writes.append(read(upTo: offset, in: room, by: account)) }
        return writes
    }

    private func edit(_ message: Int64, in room: Room, by account: Int64) -> LossWrite {
        let params = ChatEdit.Params(conversation: room.id, message: message, text: "edited")
        return LossWrite(
            id: Self.id(ChatEvent.Kind.edited.rawValue, by: account, target: message), author: account
        ) { try await $0.call(ChatEdit.self, params).lossPosition }
    }

    private func deletion(of message: Int64, in room: Room, by account: Int64) -> LossWrite {
        let params = MessageParams(conversation: room.id, message: message)
        return LossWrite(
            id: Self.id(ChatEvent.Kind.deleted.rawValue, by: account, target: message), author: account,
            effect: .deletion(of: message)
        ) { try await $0.call(ChatDelete.self, params).lossPosition }
    }

    private func reaction(to message: Int64, in room: Room, by account: Int64) -> LossWrite {
        let emoji = Reaction.allCases.randomElement() ?? .thumb
        let params = ChatReact.Params(conversation: room.id, message: message, emoji: emoji, on: true)
        return LossWrite(
            id: Self.id(
                ChatEvent.Kind.reaction.rawValue, by: account, target: message, emoji: emoji.rawValue, on: true),
            author: account
        ) { try await $0.call(ChatReact.self, params).lossPosition }
    }

    private func read(upTo offset: Int64, in room: Room, by account: Int64) -> LossWrite {
        let params = ReceiptParams(conversation: room.id, offset: offset)
        return LossWrite(id: "", author: account, effect: .read) { connection in
            let read = try await connection.call(ChatRead.self, params)
            return LossPosition(topic: room.topic, epoch: room.start.epoch, offset: read.offset)
        }
    }
}

extension ChatPosition {
    fileprivate var lossPosition: LossPosition {
        LossPosition(topic: "chat/\(conversation)", epoch: epoch, offset: offset)
    }
}
