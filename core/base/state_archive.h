#pragma once

#include <cassert>
#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace lockstep {

/// The state of objects as bytes in memory, bit for bit, for this program's own later use: not a file format. A class
/// describes its state once, in `void archive(StateArchive& archive)`, and the same description measures, saves and
/// restores it. What is restored must have been built with the same settings as what was saved.
class StateArchive {
public:
    /// Counts the bytes that saving would take; copies nothing.
    [[nodiscard]] static StateArchive measuring() { return StateArchive(Mode::Measure, {}); }
    [[nodiscard]] static StateArchive saving() { return StateArchive(Mode::Save, {}); }
    /// `bytes` outlives the archive.
    [[nodiscard]] static StateArchive restoring(std::span<const std::byte> bytes) {
        return StateArchive(Mode::Restore, bytes);
    }

    [[nodiscard]] bool restores() const { return m_mode == Mode::Restore; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    void reserve(std::size_t bytes) { m_saved.reserve(bytes); }
    /// What was saved.
    [[nodiscard]] std::vector<std::byte> take() { return std::move(m_saved); }

    template <class T>
    requires std::is_trivially_copyable_v<T>
    void value(T& value) { bytes(&value, sizeof(T)); }
    /// Elements whose number is the same now as when they were saved.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void elements(std::span<T> elements) { bytes(elements.data(), elements.size_bytes()); }
    /// A vector of plain values, with its size.
    template <class T, class Allocator>
    requires std::is_trivially_copyable_v<T>
    void vector(std::vector<T, Allocator>& vector) {
        std::size_t count = vector.size();
        value(count);
        if (restores()) vector.resize(count);
        elements(std::span<T>(vector));
    }
    /// A map; `one(value)` describes a value.
    template <class Key, class Value, class One>
    void map(std::map<Key, Value>& map, One one) {
        std::size_t count = map.size();
        value(count);
        if (!restores()) {
            for (auto& [key, element] : map) {
                Key copy = key;
                value(copy);
                one(element);
            }
            return;
        }
        map.clear();
        for (std::size_t i = 0; i < count; ++i) {
            Key key{};
            value(key);
            one(map[key]);
        }
    }

private:
    enum class Mode { Measure, Save, Restore };

    StateArchive(Mode mode, std::span<const std::byte> saved) : m_mode(mode), m_restored(saved) {}

    void bytes(void* data, std::size_t count) {
        if (count == 0) return;
        if (m_mode == Mode::Save) {
            const auto* from = static_cast<const std::byte*>(data);
            m_saved.insert(m_saved.end(), from, from + count);
        } else if (m_mode == Mode::Restore) {
            assert(m_size + count <= m_restored.size());
            std::memcpy(data, m_restored.data() + m_size, count);
        }
        m_size += count;
    }

    Mode m_mode;
    std::size_t m_size = 0;
    std::vector<std::byte> m_saved;
    std::span<const std::byte> m_restored;
};

}  // namespace lockstep
